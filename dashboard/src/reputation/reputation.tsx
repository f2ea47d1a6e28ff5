import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ListFeedbackAnswer, ListRatedAgentsAnswer, ListValidationsAnswer } from "../answers.ts";
import { api, withQuery } from "../api.ts";
import { time } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { PagedList } from "../parts/paged-list.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { Stars } from "./stars.tsx";

const LISTS = [
  ["given", "Ratings you gave"],
  ["received", "Ratings of your agent"],
  ["validations", "Validations"],
] as const;

/** The ratings and validations of the registries on the chain that the tenant gave, got or asked for. */
export function Reputation() {
  const { list = "given" } = useSearch({ from: "/reputation" });
  const change = useChangeSearch();
  useRowKeys();
  return (
    <>
      <h1>Reputation</h1>
      <Agents />
      <Choices
        label="List"
        values={LISTS}
        chosen={list}
        choose={(one) => change({ list: one === "given" ? undefined : one, open: undefined })}
      />
      {list === "validations" ? <Validations /> : <Feedback key={list} direction={list} />}
    </>
  );
}

function Agents() {
  const path = "/api/reputation/agents";
  const agents = useQuery({
    queryKey: ["reputation", "agents"],
    queryFn: ({ signal }) => api<ListRatedAgentsAnswer>(path, { signal }),
  });
  const shown = agents.data?.agents ?? [];
  return (
    <Panel title="Agents">
      {agents.isPending && <Rows count={2} />}
      {agents.error !== null && <Problem error={agents.error} retry={() => void agents.refetch()} />}
      {agents.isSuccess && shown.length === 0 && (
        <Empty>
          Your agent is not registered yet. That happens by itself once the tenant has a wallet on the chain.
        </Empty>
      )}
      <ul className="list records">
        {shown.map(({ agentId, agentName, owner, average, count, given, byTag }) => (
          <li key={agentId}>
            <span>
              <strong>{agentName}</strong> <span className="mono quiet">{agentId}</span>
            </span>
            <span className="quiet">
              {count === 0 ? "no ratings yet" : `${count} ${count === 1 ? "rating" : "ratings"}`}
              {owner === "you" ? "" : `, ${given} by you`}
              {byTag.length === 0 ? "" : `: ${byTag.map((one) => `${one.tag} ${one.average ?? ""}`).join(", ")}`}
            </span>
            <Stars average={average} />
          </li>
        ))}
      </ul>
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}

type Rating = ListFeedbackAnswer["feedback"][number];

function Feedback({ direction }: { direction: "given" | "received" }) {
  const { open } = useSearch({ from: "/reputation" });
  return (
    <Panel title={direction === "given" ? "Ratings you gave" : "Ratings of your agent"}>
      <PagedList
        queryKey={["reputation", "feedback", direction]}
        path={withQuery("/api/reputation/feedback", { limit: 50, direction })}
        read={(page: ListFeedbackAnswer) => page.feedback}
        empty={
          direction === "given" ? (
            <>
              You have rated nobody yet.{" "}
              <Link to="/playground" search={{ tool: "give_feedback" }}>
                Rate an agent
              </Link>
            </>
          ) : (
            "Nobody has rated your agent yet."
          )
        }
      >
        {(ratings) => (
          <ul className="list records">
            {ratings.map((rating) => (
              <RatingRow key={rating.feedbackId} rating={rating} isOpen={rating.feedbackId === open} />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

function RatingRow({ rating, isOpen }: { rating: Rating; isOpen: boolean }) {
  const { feedbackId, agentId, stars, tag, state, at, txHash, userId, tripId, bookingId, evidenceUri } = rating;
  return (
    <li>
      <Opener id={feedbackId} isOpen={isOpen}>
        {tag}
      </Opener>
      <span className="quiet">
        agent <span className="mono">{agentId}</span>, <When at={at} />
        {state === "pending" ? ", on its way to the chain" : ""}
      </span>
      <Stars average={String(stars)} />
      {isOpen && (
        <dl className="details">
          <Fact name="When" value={time(at)} isText />
          <Fact name="Given by" value={userId} />
          {tripId !== null && (
            <>
              <dt>Trip</dt>
              <dd>
                <Link to="/trips/budgets/$tripId" params={{ tripId }} className="mono">
                  {tripId}
                </Link>
              </dd>
            </>
          )}
          <Fact name="Booking" value={bookingId} />
          <Fact name="Evidence" value={evidenceUri} />
          <Fact name="Transaction" value={txHash} />
        </dl>
      )}
    </li>
  );
}

type Validation = ListValidationsAnswer["validations"][number];

const STATES = {
  requesting: ["money", "Being requested"],
  requested: ["wait", "Waits for the validator"],
  answering: ["money", "Being answered"],
  answered: ["done", "Answered"],
} as const;

function Validations() {
  const { open } = useSearch({ from: "/reputation" });
  return (
    <Panel title="Validations">
      <PagedList
        queryKey={["reputation", "validations"]}
        path="/api/reputation/validations?limit=50"
        read={(page: ListValidationsAnswer) => page.validations}
        empty={
          <>
            Nothing has been validated yet. A validator checks the work of your agent and answers on the chain.{" "}
            <Link to="/playground" search={{ tool: "request_validation" }}>
              Ask for a validation
            </Link>
          </>
        }
      >
        {(validations) => (
          <ul className="list records">
            {validations.map((one) => (
              <ValidationRow key={one.requestHash} validation={one} isOpen={one.requestHash === open} />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

function ValidationRow({ validation, isOpen }: { validation: Validation; isOpen: boolean }) {
  const { requestHash, state, agentId, validatorAddress, isOwn, isAsked, tag, response, at } = validation;
  const [kind, words] = STATES[state];
  return (
    <li>
      <Opener id={requestHash} isOpen={isOpen}>
        {tag}
      </Opener>
      <span className="quiet">
        {isOwn ? "your agent" : `agent ${agentId}`}
        {isAsked ? ", for you to answer" : ""}, <When at={at} />
      </span>
      {response === null ? (
        <Status kind={kind}>{words}</Status>
      ) : (
        <Status kind={response >= 50 ? "done" : "fail"}>{response} of 100</Status>
      )}
      {isOpen && (
        <dl className="details">
          <Fact name="When" value={time(at)} isText />
          <Fact name="Request" value={requestHash} />
          <Fact name="Validator" value={validatorAddress} />
          <Fact name="About" value={validation.requestUri} />
          <Fact name="Transaction" value={validation.requestTxHash} />
          <Fact name="Answered" value={validation.answeredAt === null ? null : time(validation.answeredAt)} isText />
          <Fact name="Answer’s grounds" value={validation.responseUri} />
          <Fact name="Answer’s transaction" value={validation.responseTxHash} />
        </dl>
      )}
    </li>
  );
}

function Opener({ id, isOpen, children }: { id: string; isOpen: boolean; children: string }) {
  const change = useChangeSearch();
  return (
    <button
      type="button"
      className="link"
      data-row
      aria-expanded={isOpen}
      onClick={() => change({ open: isOpen ? undefined : id }, { replace: true })}
    >
      {children}
    </button>
  );
}

function Fact({ name, value, isText = false }: { name: string; value: string | null; isText?: boolean }) {
  if (value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className={isText ? "" : "mono"}>{value}</dd>
    </>
  );
}
