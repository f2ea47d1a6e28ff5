import { createContext, type ReactNode, useContext } from "react";
import { time } from "../format.ts";
import {
  describeAmount,
  isInstant,
  isOwnPicture,
  isRecord,
  type Json,
  type LegShape,
  listLegs,
  readLeg,
  sayMember,
  summarize,
} from "./answer-words.ts";
import { sayDay } from "./time.tsx";

const SHOWN_ITEMS = 12;
/** Deeper parts are in the JSON. */
const DEEPEST = 6;

/** Next steps with a thing of a list, which only the page around the answer knows. */
export const CardActions = createContext<(value: unknown) => ReactNode>(() => null);

/** An answer for people: amounts with their currency, times, routes as lines, lists of things as cards. It knows shapes, and no tools. */
export function AnswerTree({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (value === null || value === undefined) return <span className="quiet">none</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en");
  if (typeof value === "string") return <Text text={value} />;
  if (depth >= DEEPEST) return <code>{JSON.stringify(value)}</code>;
  if (Array.isArray(value)) return <List items={value} depth={depth} />;
  return isRecord(value) ? <Members members={value} depth={depth} /> : null;
}

function Text({ text }: { text: string }) {
  if (isInstant(text)) return <time dateTime={text}>{time(text)}</time>;
  if (isOwnPicture(text)) return <img className="picture" src={new URL(text).pathname} alt="" loading="lazy" />;
  if (/^https?:\/\/\S+$/.test(text)) {
    return (
      <a href={text} target="_blank" rel="noreferrer">
        {text}
      </a>
    );
  }
  const isId = /^(0x[0-9a-f]{20,}|[a-z]{2,5}_[0-9A-Za-z]{10,})$/.test(text);
  return isId ? <span className="mono">{text}</span> : text;
}

function List({ items, depth }: { items: readonly unknown[]; depth: number }) {
  if (items.length === 0) return <span className="quiet">none</span>;
  const shown = items.slice(0, SHOWN_ITEMS);
  const rest = items.length - shown.length;
  const more = rest > 0 && <p className="quiet">and {rest} more, in the JSON</p>;
  if (items.every((item) => !isRecord(item) && !Array.isArray(item))) {
    return (
      <>
        {shown.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change.
          <span key={at}>
            {at > 0 && (isOwnPicture(String(item)) ? " " : ", ")}
            <AnswerTree value={item} depth={depth + 1} />
          </span>
        ))}
        {more}
      </>
    );
  }
  return (
    <div className="cards">
      {shown.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change.
        <Card key={at} value={item} depth={depth} />
      ))}
      {more}
    </div>
  );
}

/** A thing of a list: its summary, and the rest on demand. */
function Card({ value, depth }: { value: unknown; depth: number }) {
  return isRecord(value) ? <Thing value={value} depth={depth} /> : <AnswerTree value={value} depth={depth + 1} />;
}

function Thing({ value, depth }: { value: Json; depth: number }) {
  const { title: own, amount } = summarize(value);
  const legs = listLegs(value);
  // Flights say more than the id of their slice.
  const title = legs.length > 0 && own === value.id ? "" : own;
  const actions = useContext(CardActions)(value);
  if (depth > 0 && legs.length === 0 && Object.keys(value).length < 6) {
    return (
      <div className="card">
        <Members members={value} depth={depth + 1} />
      </div>
    );
  }
  return (
    <>
      <details className="card">
        <summary>
          {(title !== "" || legs.length === 0) && <span className="card-title">{title === "" ? "Entry" : title}</span>}
          {amount !== undefined && <strong className="amount">{amount}</strong>}
          {legs.map((leg) => (
            <Leg key={`${leg.origin}${leg.departingAt}${leg.destination}`} leg={leg} />
          ))}
        </summary>
        <Members members={value} depth={depth + 1} />
      </details>
      {actions}
    </>
  );
}

/** One end a part that is not broken, and the date of the arrival only where it is another. */
function Leg({ leg: { origin, destination, departingAt, arrivingAt, name } }: { leg: LegShape }) {
  const [left, arrived] = [departingAt.slice(0, 10), arrivingAt.slice(0, 10)];
  return (
    <span className="leg">
      <span className="leg-end">
        <strong>
          {origin} {departingAt.slice(11, 16)}
        </strong>{" "}
        <span className="quiet">{sayDay(left)}</span>
      </span>
      <span className="leg-line" aria-hidden="true" />
      <span className="leg-end">
        <strong>
          {destination} {arrivingAt.slice(11, 16)}
        </strong>
        {arrived !== left && <span className="quiet"> {sayDay(arrived)}</span>}
      </span>
      <span className="mono quiet">{name}</span>
    </span>
  );
}

const isListOfThings = (value: unknown): boolean => Array.isArray(value) && value.some(isRecord);

/** Lists of things, such as offers, come before the facts about the search. */
function orderMembers(members: Json, depth: number): [string, unknown][] {
  const all = Object.entries(members);
  if (depth > 0) return all;
  return [...all.filter(([, value]) => isListOfThings(value)), ...all.filter(([, value]) => !isListOfThings(value))];
}

function Members({ members, depth }: { members: Json; depth: number }) {
  const leg = readLeg(members);
  return (
    <>
      {leg !== undefined && <Leg leg={leg} />}
      <dl className="tree">
        {orderMembers(members, depth).map(([name, value]) => {
          const amount = describeAmount(name, members);
          if (amount === "shown elsewhere" || value === null) return null;
          return (
            <div key={name}>
              <dt>{sayMember(name)}</dt>
              <dd>{amount ?? <AnswerTree value={value} depth={depth + 1} />}</dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}
