import { Link } from "@tanstack/react-router";
import type { GetTripAnswer } from "../answers.ts";
import { Named } from "../parts/names.tsx";
import { Empty } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { Facts } from "./order-history.tsx";
import { sayEntry } from "./say-entry.ts";

type Entry = GetTripAnswer["record"][number];

/** Everything known about the trip, newest first. */
export function TripRecord({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty>Nothing is recorded yet.</Empty>;
  return (
    <ol className="history record">
      {entries.map((entry) => (
        <li key={`${entry.at} ${entry.kind} ${entry.text}`} className={entry.kind}>
          <span className="kind">{entry.kind}</span>
          <div>
            {sayEntry(entry)}{" "}
            <span className="quiet">
              <When at={entry.at} />
              {entry.userId !== null && (
                <>
                  , by <Named id={entry.userId} />
                </>
              )}
            </span>
            {typeof entry.details.runId === "string" && entry.kind === "run" && (
              <>
                {" "}
                <Link to="/runs/$runId" params={{ runId: entry.details.runId }}>
                  the run
                </Link>
              </>
            )}
            <Facts details={entry.details} />
          </div>
        </li>
      ))}
    </ol>
  );
}
