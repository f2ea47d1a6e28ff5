import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { GetMovementsAnswer, GetTreasuryAnswer } from "../answers.ts";
import { api, withQuery } from "../api.ts";
import { money, sayChain, shorten } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { Period } from "../parts/period.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { Panel, Problem, Rows } from "../parts/states.tsx";
import { sayDay, When } from "../parts/time.tsx";
import { EscrowSums } from "./escrow-sums.tsx";
import { Invoices } from "./invoices.tsx";
import { MovementRows } from "./movement-rows.tsx";
import { Rates } from "./rates.tsx";
import { type Movements, walkBalances } from "./walk-balances.ts";

export function Money() {
  return (
    <>
      <h1>Money</h1>
      <Wallets />
      <div className="columns">
        <div>
          <Statement />
        </div>
        <div>
          <EscrowSums />
          <Invoices />
          <Rates />
        </div>
      </div>
    </>
  );
}

interface Amounts {
  USDC: string;
  EURC: string;
}

function Wallets() {
  const treasury = useQuery({
    queryKey: ["treasury"],
    queryFn: ({ signal }) => api<GetTreasuryAnswer>("/api/treasury", { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  const home = treasury.data;
  return (
    <>
      {treasury.isPending && <Rows count={3} />}
      {treasury.error !== null && <Problem error={treasury.error} retry={() => void treasury.refetch()} />}
      {home !== undefined && (
        <>
          <div className="wallets">
            <Wallet
              name={sayChain(`eip155:${home.chainId}`)}
              address={home.address}
              amounts={home}
              note={`As of ${new Date(home.asOf).toLocaleTimeString("en-GB")}, by ${home.source}`}
            />
            {home.otherChains?.map(({ chain, address, ...amounts }) => (
              <Wallet key={chain} name={sayChain(chain)} address={address} amounts={amounts} note="By the books" />
            ))}
            {home.gateway?.map(({ chain, available, inFlight, withdrawing }) => (
              <section className="panel wallet" key={`gateway ${chain}`}>
                <h2>Gateway, {sayChain(chain)}</h2>
                <p className="figure">{money(available)} USDC</p>
                <p className="quiet">
                  {money(inFlight)} set aside, {money(withdrawing)} being withdrawn
                </p>
              </section>
            ))}
          </div>
          <InFlight transfers={home.inFlight ?? []} />
          {home.otherChainsNote !== undefined && <p className="quiet">{home.otherChainsNote}</p>}
        </>
      )}
      <ApiCall calls={[{ method: "GET", path: "/api/treasury" }]} />
    </>
  );
}

function Wallet(props: {
  name: string;
  address: string | null;
  amounts: { available: Amounts; held: Amounts; outgoing: Amounts };
  note: string;
}) {
  const { name, address, amounts, note } = props;
  const { available, held, outgoing } = amounts;
  return (
    <section className="panel wallet">
      <h2>{name}</h2>
      <p className="figure">
        {money(available.USDC)} <small>USDC</small>
      </p>
      <p>
        {money(available.EURC)} <span className="quiet">EURC</span>
      </p>
      <p className="quiet">
        Free to spend. Held: {sayBoth(held)}. On its way out: {sayBoth(outgoing)}.
      </p>
      <p className="quiet">
        {address !== null && (
          <span className="mono" title={address}>
            {shorten(address)}
          </span>
        )}{" "}
        {note}
      </p>
    </section>
  );
}

function sayBoth({ USDC, EURC }: Amounts): string {
  const parts = [
    ...(Number(USDC) === 0 ? [] : [`${money(USDC)} USDC`]),
    ...(Number(EURC) === 0 ? [] : [`${money(EURC)} EURC`]),
  ];
  return parts.length === 0 ? "nothing" : parts.join(" and ");
}

function InFlight({ transfers }: { transfers: NonNullable<GetTreasuryAnswer["inFlight"]> }) {
  if (transfers.length === 0) return null;
  return (
    <Panel title="In flight between chains">
      {transfers.map(({ transferId, from, to, token, amountSent, expectedBy, status, waiting }) => (
        <div className="flight" key={transferId}>
          <ol className="route">
            <li className="done">
              <strong>{from.name.replaceAll("_", " ")}</strong>
            </li>
            <li className="between">
              <strong>
                {money(amountSent)} {token}
              </strong>
            </li>
            <li className="wait">
              <strong>{to.name.replaceAll("_", " ")}</strong>
              <span className="quiet">{expectedBy === null ? status : <When at={expectedBy} />}</span>
            </li>
          </ol>
          {waiting !== null && <p className="quiet">{waiting}</p>}
        </div>
      ))}
    </Panel>
  );
}

function Days(statement: Movements) {
  const balances = walkBalances(statement);
  return [...Map.groupBy(statement.movements, ({ at }) => at.slice(0, 10))].map(([day, moved]) => (
    <section key={day} className="day">
      <h3>{sayDay(day)} (UTC)</h3>
      <MovementRows movements={moved} balances={balances} />
    </section>
  ));
}

/** By days of the viewer's calendar in UTC, as the period is. */
function Statement() {
  const { from, to } = useSearch({ from: "/money" });
  const change = useChangeSearch();
  return (
    <Panel title="Statement">
      <Period from={from} to={to} change={(days) => change(days, { replace: true })} />
      {to === undefined && <p className="quiet">Below each amount is the balance of its wallet afterwards.</p>}
      <PagedList
        queryKey={["movements", from ?? "", to ?? ""]}
        path={withQuery("/api/movements", { limit: 50, from, to })}
        read={(page: GetMovementsAnswer) => page.movements}
        skeletons={6}
        empty={
          from === undefined && to === undefined
            ? "No money has come or gone yet."
            : "No money came or went in this period."
        }
      >
        {(movements, { balances }) => <Days movements={movements} balances={balances} />}
      </PagedList>
    </Panel>
  );
}
