import { describe, expect, it } from "vitest";
import { claimSend, isQuiet, sendText, SupplierRefused } from "../send";

class MemoryLog {
  private readonly rows = new Set<string>();
  async insert(parcel: string, template: string, day: string): Promise<boolean> {
    const key = `${parcel}/${template}/${day}`;
    if (this.rows.has(key)) return false;
    this.rows.add(key);
    return true;
  }
}

const healthy = () => ({
  tellibell: { failuresInARow: 0, medianSeconds: 2, switchedUntil: 0 },
  corvane: { failuresInARow: 0, medianSeconds: 3, switchedUntil: 0 },
});
const routes = [
  { prefix: "+47", supplier: "tellibell" as const },
  { prefix: "+", supplier: "corvane" as const },
];

describe("nine reminders", () => {
  it("lets one of nine redeliveries through", async () => {
    const log = new MemoryLog();
    const at = new Date("2026-01-27T18:00:00Z");
    const answers = await Promise.all(Array.from({ length: 9 }, () => claimSend(log, "P-77", "reminder", at)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });
});

describe("refusals", () => {
  it("does not bother a person who opted out a second time", async () => {
    let calls = 0;
    const post = async () => {
      calls++;
      throw new SupplierRefused("tellibell", "opted_out");
    };
    await expect(sendText("+4790000000", "hi", routes, healthy(), post)).rejects.toThrow("E3305");
    expect(calls).toBe(1);
  });

  it("sends nothing at all to Malta", async () => {
    expect(await sendText("+35620000000", "hi", routes, healthy(), async () => "never")).toBeNull();
  });
});

it("keeps quiet at night, but not about a code somebody waits for", () => {
  expect(isQuiet(23, false)).toBe(true);
  expect(isQuiet(23, true)).toBe(false);
});
