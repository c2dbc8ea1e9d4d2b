import { pickProvider, type Health, type Route, type Supplier } from "./providers";

export type Refusal = "invalid_number" | "opted_out" | "throttled" | "unknown";

/** E3305. */
export class SupplierRefused extends Error {
  readonly code = "E3305";
  constructor(
    readonly supplier: Supplier,
    readonly reason: Refusal,
  ) {
    super(`E3305: ${supplier} refused (${reason})`);
  }

  get hopeless(): boolean {
    return this.reason === "invalid_number" || this.reason === "opted_out";
  }
}

export interface SentLog {
  /** Resolves to false when the row (parcel, template, day) exists already. */
  insert(parcel: string, template: string, day: string): Promise<boolean>;
}

/**
 * Writes down that we are going to send, *before* sending. Whoever comes second gets false and stays silent.
 * Since the evening of the nine reminders (INC-271). A crash right after this loses the message; so be it.
 */
export async function claimSend(log: SentLog, parcel: string, template: string, at: Date): Promise<boolean> {
  return log.insert(parcel, template, at.toISOString().slice(0, 10));
}

const ATTEMPTS = 3;

/** Quiet hours: nothing from nine in the evening to seven in the morning unless the person asked for it just now. */
export function isQuiet(localHour: number, requested: boolean): boolean {
  return !requested && (localHour >= 21 || localHour < 7);
}

export async function sendText(
  phone: string,
  body: string,
  routes: readonly Route[],
  health: Record<Supplier, Health>,
  post: (supplier: Supplier, phone: string, body: string) => Promise<string>,
  now: () => number = Date.now,
): Promise<string | null> {
  let last: unknown = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const supplier = pickProvider(phone, routes, health, now());
    if (supplier === null) return null;
    try {
      const receiptId = await post(supplier, phone, body);
      health[supplier].failuresInARow = 0;
      return receiptId;
    } catch (error) {
      if (error instanceof SupplierRefused && error.hopeless) throw error;
      health[supplier].failuresInARow += 1;
      last = error;
    }
  }
  throw last;
}
