import { money, time } from "../format.ts";

export interface Preview {
  accepted: boolean;
  problem: { code: string; detail: string; issues?: readonly { path: string; message: string }[] } | null;
  priceUsdc: string | null;
  inAllUsdc: string | null;
  allowances: readonly { name: string; token: string; left: string; leftAfter: string | null }[];
  movements: readonly { token: string; amount: string | null; from: string; to: string; isLater: boolean }[];
  irreversible: readonly { what: string; undo: string; undoableUntil: string | null; undoCostUsdc: string | null }[];
  warnings: readonly string[];
  note: string;
}

const sayPlace = (place: string): string => place.replaceAll("_", " ");

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
            {problem.detail} <a href={`/docs/errors/${problem.code}`}>{problem.code}</a>
          </p>
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
      {irreversible.map(({ what, undoableUntil, undoCostUsdc, undo }) => (
        <p key={what}>
          Final: {what}
          {undoableUntil === null
            ? undo === "never"
              ? ""
              : " (the supplier has not said whether it can be undone)"
            : `, until ${time(undoableUntil)} it can be undone${undoCostUsdc === null ? "" : ` for ${money(undoCostUsdc)} USDC`}`}
        </p>
      ))}
      {allowances.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>What is left</th>
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
