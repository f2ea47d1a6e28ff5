import { Link } from "@tanstack/react-router";
import { money } from "../format.ts";
import { sayMember } from "../parts/answer-words.ts";
import { Named } from "../parts/names.tsx";
import { type Final, sayFinal } from "../parts/say-final.ts";
import { writeDraft } from "./drafts.ts";

interface Refusal {
  code: string;
  detail: string;
  issues?: readonly { path: string; message: string }[];
  /** Travelers whose profiles lack something. */
  travelers?: readonly { userId: string; fields: readonly string[] }[];
}

export interface Preview {
  accepted: boolean;
  problem: Refusal | null;
  priceUsdc: string | null;
  inAllUsdc: string | null;
  allowances: readonly { name: string; token: string; left: string; leftAfter: string | null }[];
  movements: readonly { token: string; amount: string | null; from: string; to: string; isLater: boolean }[];
  irreversible: readonly Final[];
  warnings: readonly string[];
  note: string;
}

const PLACES: Readonly<Record<string, string>> = {
  treasury: "your wallet",
  collection: "Wayfare, which pays the supplier",
  gateway: "your balance in the gateway",
  trip_budget: "the trip’s budget",
  booking_reservation: "the booking’s reservation",
};

const sayPlace = (place: string): string => PLACES[place] ?? place.replaceAll("_", " ");

/** Each person’s missing fields, and the form that takes them. */
function Missing({ travelers }: { travelers: NonNullable<Refusal["travelers"]> }) {
  return (
    <ul>
      {travelers.map(({ userId, fields }) => (
        <li key={userId}>
          <Named id={userId} /> (<span className="mono">{userId}</span>) lacks{" "}
          {fields.map((field) => sayMember(field).toLowerCase()).join(", ")}.{" "}
          <Link
            to="/playground"
            search={{ tool: "save_traveler" }}
            onClick={() => writeDraft("save_traveler", { userId })}
          >
            Fill in the profile
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The effects of the call, before anything happens. */
export function Verdict({ preview }: { preview: Preview }) {
  const { accepted, problem, priceUsdc, movements, allowances, irreversible, warnings, note } = preview;
  return (
    <section className={`verdict ${accepted ? "accepted" : "refusal"}`} aria-label="Preview">
      <p>
        <strong>{accepted ? "It would be accepted." : "It would be refused."}</strong>{" "}
        {priceUsdc !== null && accepted && `The call itself costs ${money(priceUsdc)} USDC.`}
      </p>
      {problem !== null && (
        <>
          <p>
            {problem.code === "traveler_incomplete" && problem.travelers?.length
              ? "The flight needs more about who travels."
              : problem.detail}{" "}
            <a href={`/docs/errors/${problem.code}`}>{problem.code}</a>
          </p>
          {problem.travelers !== undefined && problem.travelers.length > 0 && <Missing travelers={problem.travelers} />}
          <ul>
            {problem.issues?.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <span className="mono">{path}</span> {message}
              </li>
            ))}
          </ul>
        </>
      )}
      {warnings.map((warning) => (
        <p className="notice" key={warning}>
          {warning}
        </p>
      ))}
      {movements.length > 0 && (
        <ul>
          {movements.map(({ token, amount, from, to, isLater }) => (
            <li key={`${from} ${to} ${amount} ${token}`}>
              {amount === null ? "An amount that is not known yet" : `${money(amount)} ${token}`} from {sayPlace(from)}{" "}
              to {sayPlace(to)}
              {isLater ? ", by a later call" : ""}
            </li>
          ))}
        </ul>
      )}
      {irreversible.map((one) => (
        <p key={one.what}>{sayFinal(one)}</p>
      ))}
      {allowances.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Balance</th>
              <th className="number">Now</th>
              <th className="number">Afterwards</th>
            </tr>
          </thead>
          <tbody>
            {allowances.map(({ name, token, left, leftAfter }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number">
                  {money(left)} {token}
                </td>
                <td className="number">{leftAfter === null ? "not known" : `${money(leftAfter)} ${token}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="quiet">{note}</p>
    </section>
  );
}
