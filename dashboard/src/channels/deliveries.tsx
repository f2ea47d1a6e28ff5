import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListEventDeliveriesAnswer, RotateEventEndpointSecretAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { LIVE_MILLISECONDS, More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { ENDPOINTS_PATH, type Endpoint } from "./endpoint-form.tsx";

type Delivery = ListEventDeliveriesAnswer["deliveries"][number];

const KINDS = { waiting: "wait", delivered: "done", failed: "fail" } as const;
const SOON_MILLISECONDS = 2_000;

/** One that is on its way: its answer comes within seconds. */
const isUnderway = ({ state, attempts }: Delivery): boolean => state === "waiting" && attempts <= 1;

/** Everything sent to an endpoint, and the actions on it. */
export function Deliveries(props: {
  endpoint: Endpoint;
  change: () => void;
  onRotated: (answer: RotateEventEndpointSecretAnswer) => void;
}) {
  const { endpoint } = props;
  const { id, url, formerSecretUntil } = endpoint;
  const queries = useQueryClient();
  const path = `${ENDPOINTS_PATH}/${id}/deliveries?limit=50`;
  const deliveries = usePages<ListEventDeliveriesAnswer>(["deliveries", id], path, (pages) =>
    pages.some((page) => page.deliveries.some(isUnderway)) ? SOON_MILLISECONDS : LIVE_MILLISECONDS,
  );
  const shown = deliveries.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const replay = useMutation({
    mutationFn: (eventId: string) =>
      api(`${ENDPOINTS_PATH}/${id}/replay`, { method: "POST", body: { eventIds: [eventId] } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["deliveries", id] }),
  });
  return (
    <Panel title={`Deliveries to ${url}`}>
      <EndpointActions {...props} />
      {formerSecretUntil !== null && (
        <p className="quiet">
          Signed with the old secret as well until <When at={formerSecretUntil} />.
        </p>
      )}
      {deliveries.isPending && <Rows count={4} />}
      {deliveries.error !== null && <Problem error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {replay.error !== null && <Problem error={replay.error} />}
      {deliveries.isSuccess && shown.length === 0 && (
        <Empty>Nothing has been sent there yet. A test event shows whether it arrives.</Empty>
      )}
      <ul className="list records">
        {shown.map((delivery) => (
          <Row
            key={delivery.eventId}
            delivery={delivery}
            isBusy={replay.isPending}
            replay={endpoint.state === "off" ? undefined : () => replay.mutate(delivery.eventId)}
          />
        ))}
      </ul>
      <More list={deliveries} />
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}

function Row(props: { delivery: Delivery; isBusy: boolean; replay: (() => void) | undefined }) {
  const { delivery, isBusy, replay } = props;
  const { eventId, type, state, attempts, lastAttemptAt, lastStatus, lastProblem, nextAttemptAt } = delivery;
  return (
    <li>
      <span>
        {type} <span className="mono quiet">{eventId.slice(-8)}</span>
      </span>
      <span className="quiet">
        {attempts} {attempts === 1 ? "attempt" : "attempts"}
        {lastAttemptAt !== null && (
          <>
            , last <When at={lastAttemptAt} />
          </>
        )}
        {lastStatus === null ? "" : `, answered ${lastStatus}`}
        {lastProblem === null ? "" : `, ${lastProblem}`}
        {nextAttemptAt !== null && (
          <>
            , next <When at={nextAttemptAt} />
          </>
        )}
      </span>
      <span className="buttons">
        <Status kind={KINDS[state]}>{state}</Status>
        {state !== "waiting" && replay !== undefined && (
          <button type="button" className="plain small" disabled={isBusy} onClick={replay}>
            Send again
          </button>
        )}
      </span>
    </li>
  );
}
