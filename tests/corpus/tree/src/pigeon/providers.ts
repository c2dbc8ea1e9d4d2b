/** Which supplier carries a text message, and when the other one takes over. */

export type Supplier = "tellibell" | "corvane";

export interface Health {
  failuresInARow: number;
  medianSeconds: number;
  switchedUntil: number; // epoch milliseconds, 0 while healthy
}

export interface Route {
  prefix: string;
  supplier: Supplier;
}

const MAX_FAILURES = 5;
const MAX_MEDIAN_SECONDS = 8;
const SWITCH_FOR_MS = 10 * 60 * 1000;

/** Nobody delivers there. Recipients get mail only. */
export const NO_TEXT_PREFIXES = ["+354", "+356"];

export function otherOf(supplier: Supplier): Supplier {
  return supplier === "tellibell" ? "corvane" : "tellibell";
}

/** The longest matching prefix wins; "+" matches everything. */
export function routeFor(phone: string, routes: readonly Route[]): Supplier | null {
  if (NO_TEXT_PREFIXES.some((prefix) => phone.startsWith(prefix))) return null;
  const fitting = routes.filter((route) => phone.startsWith(route.prefix));
  fitting.sort((a, b) => b.prefix.length - a.prefix.length);
  return fitting[0]?.supplier ?? null;
}

export function isSick(health: Health): boolean {
  return health.failuresInARow >= MAX_FAILURES || health.medianSeconds > MAX_MEDIAN_SECONDS;
}

/**
 * Picks the supplier of the route, or its fallback while it is sick. Having flipped once it stays there for ten
 * minutes; flapping between two carriers is worse than a slow one.
 */
export function pickProvider(
  phone: string,
  routes: readonly Route[],
  health: Record<Supplier, Health>,
  now: number,
): Supplier | null {
  const first = routeFor(phone, routes);
  if (first === null) return null;
  const state = health[first];
  if (state.switchedUntil > now) return otherOf(first);
  if (!isSick(state)) return first;
  state.switchedUntil = now + SWITCH_FOR_MS;
  return otherOf(first);
}
