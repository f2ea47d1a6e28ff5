import { Link } from "@tanstack/react-router";
import type { GetMovementsAnswer } from "../answers.ts";
import { money, sayChain, shorten, time, usdc } from "../format.ts";
import { Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

type Movement = GetMovementsAnswer["movements"][number];

const PLACES: Readonly<Record<string, string>> = {
  collection: "the service",
  trip_budget: "a budget in escrow",
  gateway: "the Gateway",
  swap_pool: "the swap pool",
};

/** "Wallet to the service". */
function Way({ direction, counterpart, pot, kind }: Movement) {
  const own = pot === "gateway" ? "the Gateway" : "the wallet";
  const isIssuer = counterpart !== null && /^0x0{40}$/.test(counterpart);
  const other =
    counterpart === null || (isIssuer && kind === "bridge")
      ? "another chain"
      : isIssuer
        ? "the issuer"
        : (PLACES[counterpart] ?? shorten(counterpart));
  return `From ${direction === "out" ? `${own} to ${other}` : `${other} to ${own}`}`;
}

/** `balances`: of the wallet after each movement, as far as they are known. */
export function MovementRows(props: { movements: readonly Movement[]; balances?: ReadonlyMap<string, number> }) {
  const { movements, balances } = props;
  return (
    <ul className="list movements">
      {movements.map((movement) => (
        <li key={movement.id} className={movement.state === "reverted" ? "ended" : ""}>
          <span>
            <Purpose movement={movement} />
            <br />
            <span className="quiet">
              <Way {...movement} />, <When at={movement.at} />
            </span>
            <Legs movement={movement} />
          </span>
          <span className="amount">
            {movement.direction === "in" ? "+" : "−"}
            {money(movement.amount)} {movement.token}
            <Balance micro={balances?.get(movement.id)} />
            {movement.state !== "confirmed" && (
              <>
                <br />
                <Status kind={movement.state === "pending" ? "money" : "quiet"}>{movement.state}</Status>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Balance({ micro }: { micro: number | undefined }) {
  if (micro === undefined) return null;
  return (
    <>
      <br />
      <span className="quiet">
        <span className="hidden">Balance </span>
        {usdc(micro)}
      </span>
    </>
  );
}

/** Both legs of the movement, and where the chain shows it. */
function Legs({ movement }: { movement: Movement }) {
  const { kind, txHash, transferId, counterpart, chain, fee, at } = movement;
  const facts = [
    ["Kind", kind.replaceAll("_", " ")],
    ["When", time(at)],
    ["Other side", counterpart],
    ["Chain", chain === undefined ? null : sayChain(chain)],
    ["Fee within", fee === undefined ? null : `${money(fee)} ${movement.token}`],
    ["Transfer", transferId],
    ["Transaction", txHash],
  ] as const;
  return (
    <details className="quiet">
      <summary>Details</summary>
      <dl className="details">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd className={value.startsWith("0x") ? "mono" : ""}>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </details>
  );
}

/** The text, as a link to the booking or the trip that the money is for. */
function Purpose({ movement: { text, orderId, tripId } }: { movement: Movement }) {
  if (orderId !== null) {
    return (
      <Link to="/trips/orders/$orderId" params={{ orderId }}>
        {text}
      </Link>
    );
  }
  if (tripId === null) return <span>{text}</span>;
  return (
    <Link to="/trips/budgets/$tripId" params={{ tripId }}>
      {text}
    </Link>
  );
}
