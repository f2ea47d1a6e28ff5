import type { ReadAuditAnswer } from "../answers.ts";
import { time } from "../format.ts";
import { Fact } from "../parts/fact.tsx";
import { RecordLink } from "../parts/record-link.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { When } from "../parts/time.tsx";
import { sayName } from "../trips/order-history.tsx";
import { sayAction } from "./say-action.ts";

export type Line = ReadAuditAnswer["lines"][number];

const KINDS = { person: "Somebody", key: "An agent", operator: "The operator", service: "The service" } as const;

function sayActor({ actorName, actorKind, actor }: Line): string {
  return actorName ?? (actorKind === "person" ? actor : KINDS[actorKind]);
}

/** "Firefox on Linux, 203.0.113.7". */
function sayOrigin({ program, address, actorKind }: Line): string {
  if (program === "command") return "by command";
  const parts = [program, address].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(", ") : actorKind === "service" ? "by itself" : "not recorded";
}

export function AuditRow({ line, isOpen }: { line: Line; isOpen: boolean }) {
  const change = useChangeSearch();
  const { lineId, action, subjectName, subjectId, at } = line;
  // A traveler's name is no part of the log.
  const subject = action === "traveler.put" ? (subjectName ?? subjectId) : subjectName;
  return (
    <li>
      <button
        type="button"
        className="link"
        data-row
        aria-expanded={isOpen}
        onClick={() => change({ line: isOpen ? undefined : lineId }, { replace: true })}
      >
        <strong>{sayActor(line)}</strong> {sayAction(action)}
        {subject === null || action.startsWith("session.") ? "" : ` ${subject}`}
      </button>
      <span className="quiet">{sayOrigin(line)}</span>
      <When at={at} className="quiet" />
      {isOpen && <Details line={line} />}
    </li>
  );
}

function Details({ line }: { line: Line }) {
  const { actor, action, subjectId, address, program, environment, traceId, details, at } = line;
  const change = useChangeSearch();
  const only = (members: Readonly<Record<string, string>>) => (
    <button type="button" className="plain small" onClick={() => change({ ...members, line: undefined })}>
      Only this
    </button>
  );
  const facts = [
    ["Address", address],
    ["Program", program],
    ["Environment", environment ?? "the whole tenant"],
    ["Trace", traceId],
    ...Object.entries(details).map(([name, value]) => [capitalize(sayName(name)), sayValue(value)] as const),
  ] as const;
  return (
    <dl className="details">
      <Fact name="When">{time(at)}</Fact>
      <Fact name="By" className="facts-line">
        <span className="mono">{actor}</span> {only({ actor })}
      </Fact>
      <Fact name="Action" className="mono">
        {action}
      </Fact>
      {subjectId !== null && (
        <Fact name="Record" className="facts-line">
          <RecordLink id={subjectId} /> {only({ subject: subjectId })}
        </Fact>
      )}
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} className="mono">
          {value}
        </Fact>
      ))}
    </dl>
  );
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function sayValue(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isList ? value.join(", ") : JSON.stringify(value);
}
