import { useQuery } from "@tanstack/react-query";
import type { Approval } from "../api.ts";
import { api } from "../api.ts";
import { money, time, toolName } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { sayFinal } from "../parts/say-final.ts";
import { Problem, Rows, Status } from "../parts/states.tsx";
import { sayDay, When } from "../parts/time.tsx";
import { Decision } from "./decision.tsx";
import {
  type Bought,
  type Evidence,
  type Flight,
  sayBought,
  sayDifference,
  sayLeg,
  sayTerms,
  sayUnit,
} from "./evidence.ts";
import { isPurchase, sayNames } from "./for-whom.ts";

/** Everything that a person needs for a decision, and the decision. */
export function Details({ approvalId }: { approvalId: string }) {
  const path = `/api/approvals/${approvalId}`;
  const approval = useQuery({
    queryKey: ["approvals", "one", approvalId],
    queryFn: ({ signal }) => api<Approval>(path, { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  return (
    <article className="panel approval">
      {approval.isPending && <Rows count={6} />}
      {approval.error !== null && <Problem error={approval.error} retry={() => void approval.refetch()} />}
      {approval.data !== undefined && <Whole approval={approval.data} />}
      <ApiCall
        calls={[
          { method: "GET", path },
          { method: "POST", path: `${path}/decision`, body: { decision: "approve" } },
        ]}
      />
    </article>
  );
}

const STATES: Readonly<Record<string, { kind: "wait" | "done" | "fail" | "quiet"; says: string }>> = {
  pending: { kind: "wait", says: "Waits for a decision" },
  approved: { kind: "done", says: "Approved: the same call succeeds once" },
  rejected: { kind: "fail", says: "Refused" },
  revoked: { kind: "fail", says: "Revoked" },
  replaced: { kind: "quiet", says: "Replaced by another request" },
  used: { kind: "done", says: "Approved, and done" },
  expired: { kind: "quiet", says: "Expired: nobody decided in time" },
};

function Whole({ approval }: { approval: Approval }) {
  const { tool, amount, isMinimum, state, expiresAt, evidence } = approval;
  const { bought } = evidence ?? {};
  const shownState = STATES[state];
  return (
    <>
      <header className="approval-head">
        <p className="figure">
          {amount === null ? toolName(tool) : `${isMinimum ? "at least " : ""}${money(amount)} ${sayUnit(evidence)}`}
        </p>
        {shownState !== undefined && <Status kind={shownState.kind}>{shownState.says}</Status>}
        {state === "pending" && (
          <p className="quiet">
            Decide <When at={expiresAt} />, until {time(expiresAt)}
          </p>
        )}
      </header>
      <h2>{bought == null ? toolName(tool) : sayBought(bought)}</h2>
      {bought?.kind === "flight" && <Way flight={bought} />}
      {bought == null && <Payments evidence={evidence} total={amount} />}
      {state === "pending" && <Finality evidence={evidence} />}
      {evidence?.purpose != null && <p>Meant for: {sayBought(evidence.purpose)}</p>}
      <Facts approval={approval} />
      <Reasons evidence={evidence} />
      <Alternatives asked={bought} alternatives={evidence?.alternatives ?? []} />
      <Consequences approval={approval} />
      <Decision approval={approval} />
    </>
  );
}

/** Each leg as a line between its places, by their clocks. */
function Way({ flight: { legs } }: { flight: Flight }) {
  return legs.map((leg) => (
    <ol className="route" key={`${leg.origin} ${leg.departsAt}`}>
      <li>
        <strong>{leg.origin ?? "?"}</strong>
        <PlaceClock local={leg.departsAt} />
      </li>
      <li className="between">
        <span>{sayLeg(leg)}</span>
      </li>
      <li>
        <strong>{leg.destination ?? "?"}</strong>
        <PlaceClock local={leg.arrivesAt} />
      </li>
    </ol>
  ));
}

function PlaceClock({ local }: { local: string | null }) {
  if (local === null) return null;
  return (
    <span>
      {local.slice(11, 16)} <span className="quiet">{sayDay(local.slice(0, 10))}</span>
    </span>
  );
}

/** The amount of a single payment is the figure above. */
function Payments({ evidence, total }: { evidence: Evidence | null; total: string | null }) {
  const payments = evidence?.payments ?? [];
  if (payments.length === 0) return null;
  return (
    <ul className="plain-texts">
      {payments.map(({ amount, token, to, chain }) => (
        <li key={`${to} ${amount} ${token}`}>
          {payments.length === 1 && amount !== null && Number(amount) === Number(total)
            ? "To"
            : `${amount === null ? "An amount that is not known yet, in" : money(amount)} ${token} to`}{" "}
          <span className="mono whole">{to.replaceAll("_", " ")}</span>
          {chain !== undefined && ` on ${chain}`}
        </li>
      ))}
    </ul>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const { travelers, requestedBy, requestedFor, requestedAt, policyId, policyVersion, role } = approval;
  const isAgents = requestedBy.startsWith("svc:");
  const terms = approval.evidence?.bought == null ? undefined : sayTerms(approval.evidence.bought);
  return (
    <dl className="details">
      {isPurchase(approval) && (
        <>
          <dt>For</dt>
          <dd>{sayNames(travelers)}</dd>
        </>
      )}
      <dt>Asked by</dt>
      <dd>
        {approval.requestedByName ?? requestedBy}
        {isAgents ? " (an agent)" : ""}
        {requestedFor !== null && requestedFor !== requestedBy
          ? ` for ${approval.requestedForName ?? requestedFor}`
          : ""}
        , <When at={requestedAt} />
      </dd>
      {terms !== undefined && (
        <>
          <dt>Terms</dt>
          <dd>{terms}</dd>
        </>
      )}
      <dt>Policy</dt>
      <dd>
        {policyId}, version {policyVersion}: {role === "approver" ? "an approver" : role} decides
      </dd>
    </dl>
  );
}

/** Before anything else that is read: on a phone, the answer is in reach from here on. */
function Finality({ evidence }: { evidence: Evidence | null | undefined }) {
  return evidence?.irreversible?.map((one) => (
    <p className="notice" key={one.what}>
      {sayFinal(one)}
    </p>
  ));
}

/** A sentence of the service, spelled as everywhere on the page. */
const sayPlainly = (text: string): string =>
  text
    .replaceAll(/\b(\d{4,}\.\d{2})(?= USD)/g, (amount) => money(amount))
    .replaceAll("premium_economy", "premium economy");

/** The rules that asked. */
function Reasons({ evidence }: { evidence: Evidence | null | undefined }) {
  const broken = evidence?.violations ?? [];
  const unknown = evidence?.notEvaluated ?? [];
  const warnings = evidence?.warnings ?? [];
  if (broken.length + unknown.length + warnings.length === 0) return null;
  return (
    <section>
      <h3>Why a person decides</h3>
      <ul className="plain-texts">
        {broken.map(({ rule, text }) => (
          <li key={rule}>
            {sayPlainly(text ?? rule)} <span className="mono quiet">{rule}</span>
          </li>
        ))}
        {unknown.map(({ rule, missing }) => (
          <li key={rule}>
            This could not be checked, as {missing.join(", ")} is not known. <span className="mono quiet">{rule}</span>
          </li>
        ))}
        {warnings.map((text) => (
          <li key={text} className="quiet">
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Alternatives(props: { asked: Bought | null | undefined; alternatives: readonly Bought[] }) {
  const { asked, alternatives } = props;
  if (asked == null) return null;
  return (
    <section>
      <h3>Within the policy</h3>
      {alternatives.length === 0 && (
        <p className="quiet">The agent’s search had no offer that keeps every rule, or it searched too long ago.</p>
      )}
      <ul className="list alternatives">
        {alternatives.map((one) => (
          <li key={JSON.stringify(one)}>
            <span>
              <strong>{sayBought(one)}</strong>
              {one.kind === "flight" && one.legs[0] !== undefined && (
                <>
                  <br />
                  <span className="quiet">
                    {[one.legs[0].departsAt, one.legs[0].arrivesAt]
                      .map((at) => at?.slice(11, 16))
                      .filter(Boolean)
                      .join(" to ")}
                    , {sayLeg(one.legs[0])}
                  </span>
                </>
              )}
              <br />
              <span className="difference">{sayDifference(asked, one).join(", ")}</span>
            </span>
            <span className="amount">{one.priceUsd == null ? "" : `${money(one.priceUsd)} USD`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The effect of either answer, before it is given. */
function Consequences({ approval }: { approval: Approval }) {
  if (approval.state !== "pending") return null;
  const { tolerance, expiresAt } = approval;
  return (
    <section>
      <h3>What your answer does</h3>
      <ul className="plain-texts">
        <li>
          <strong>Refuse:</strong> nothing is bought or moved. The agent is told your reason, can choose something else,
          and cannot ask for the same again before {time(expiresAt)}.
        </li>
        <li>
          <strong>Approve:</strong> the agent may do exactly this, once
          {Number(tolerance) > 0 ? `, also if the price rises by up to ${money(tolerance)} USD` : ", at this price"}.
        </li>
      </ul>
    </section>
  );
}
