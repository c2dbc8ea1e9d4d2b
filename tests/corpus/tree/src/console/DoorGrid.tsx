import { useMemo } from "react";

export type Model = "A" | "B" | "C";

export interface Door {
  column: string; // "A", "B", …
  row: number; // 1 is the lowest
  state: "free" | "taken" | "jammed" | "offline";
}

interface Props {
  model: Model;
  doors: readonly Door[];
  onOpen: (door: Door, reason: string) => void;
}

/** The audit trail wants a sentence, not "x". */
export const MIN_REASON_LENGTH = 10;

/**
 * Models A and B count their columns from the display outwards to the right. Model C has its display on the right, so its
 * columns run the other way. Forgetting that drew every C bank mirrored (QBX-1671).
 */
export function columnOrder(model: Model, doors: readonly Door[]): string[] {
  const columns = [...new Set(doors.map((door) => door.column))].sort();
  return model === "C" ? columns.reverse() : columns;
}

export function mayOpen(role: string, reason: string): boolean {
  const allowed = role === "support" || role === "support_lead";
  return allowed && reason.trim().length >= MIN_REASON_LENGTH;
}

export function DoorGrid({ model, doors, onOpen }: Props) {
  const columns = useMemo(() => columnOrder(model, doors), [model, doors]);
  return (
    <div className={`bank bank-${model}`} role="grid">
      {columns.map((column) => (
        <div key={column} className="column" role="row">
          {doors
            .filter((door) => door.column === column)
            .sort((a, b) => b.row - a.row)
            .map((door) => (
              <button
                key={`${door.column}-${door.row}`}
                className={door.state}
                disabled={door.state === "offline"}
                onClick={() => {
                  const reason = window.prompt("Why is this door opened by hand?") ?? "";
                  if (mayOpen("support", reason)) onOpen(door, reason);
                }}
              >
                {door.column}-{door.row}
              </button>
            ))}
        </div>
      ))}
    </div>
  );
}
