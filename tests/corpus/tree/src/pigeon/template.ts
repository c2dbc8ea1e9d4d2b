/** Checks templates while building, so that a recipient never reads "Dear {{name}}". */

const PLACEHOLDER = /\{\{\s*([a-z_]+)\s*\}\}/g;

export class TemplateIncomplete extends Error {
  readonly code = "E3350";
  constructor(
    readonly file: string,
    readonly missing: readonly string[],
  ) {
    super(`E3350: ${file} uses ${missing.join(", ")}, which no event provides`);
  }
}

export const EVENT_FIELDS: Record<string, readonly string[]> = {
  "parcel.stored": ["name", "street", "door", "pickup_code", "free_days"],
  "parcel.overdue": ["name", "street", "door", "days"],
  "parcel.collected": ["name", "street", "time"],
};

/** Languages with a directory of their own. Legal notices have none, they keep the language of the contract. */
export const LANGUAGES = ["nb", "nn", "en", "da", "sv", "fi", "de", "pl", "lt", "uk", "ar", "so"] as const;

export function placeholders(text: string): Set<string> {
  return new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1]));
}

export function checkTemplate(file: string, event: string, text: string): void {
  const known = new Set(EVENT_FIELDS[event] ?? []);
  const missing = [...placeholders(text)].filter((field) => !known.has(field));
  if (missing.length > 0) throw new TemplateIncomplete(file, missing);
}

export function render(text: string, fields: Record<string, string>): string {
  return text.replace(PLACEHOLDER, (_, field: string) => fields[field] ?? "");
}
