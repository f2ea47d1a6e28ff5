import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { AddEventEndpointAnswer, ListEventEndpointsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import { ENDPOINTS_PATH, type Endpoint, EndpointForm } from "./endpoint-form.tsx";

/** The layer above the list, which stays while the list is read again. */
type Layer =
  | { kind: "add" }
  | { kind: "change"; endpoint: Endpoint }
  | { kind: "secret"; endpoint: AddEventEndpointAnswer };

/** Where events are sent, and how their deliveries went. */
export function Endpoints() {
  const { endpoint: chosen } = useSearch({ from: "/channels" });
  const navigate = useNavigate({ from: "/channels" });
  const queries = useQueryClient();
  const [layer, setLayer] = useState<Layer>();
  const endpoints = useQuery({
    queryKey: ["endpoints"],
    queryFn: ({ signal }) => api<ListEventEndpointsAnswer>(ENDPOINTS_PATH, { signal }),
    refetchInterval: LIVE_MILLISECONDS,
  });
  const shown = endpoints.data?.endpoints ?? [];
  const open = shown.find(({ id }) => id === chosen);
  const choose = (id: string | undefined) =>
    void navigate({ search: { list: "events", ...(id === undefined ? {} : { endpoint: id }) }, replace: true });
  const close = () => setLayer(undefined);
  const refresh = () => void queries.invalidateQueries({ queryKey: ["endpoints"] });
  const showSecret = (endpoint: AddEventEndpointAnswer) => {
    setLayer({ kind: "secret", endpoint });
    choose(endpoint.id);
    refresh();
  };
  const addButton = (
    <button type="button" className="plain small" onClick={() => setLayer({ kind: "add" })}>
      Add an endpoint
    </button>
  );
  return (
    <>
      <Panel title="Event endpoints" aside={shown.length > 0 && addButton}>
        {endpoints.isPending && <Rows count={3} />}
        {endpoints.error !== null && <Problem error={endpoints.error} retry={() => void endpoints.refetch()} />}
        {endpoints.isSuccess && shown.length === 0 && (
          <>
            <Empty>
              Events are sent nowhere yet. An endpoint is an address of yours that gets a request for each of them:{" "}
              <a href="/docs/events">how to receive them</a>
            </Empty>
            {addButton}
          </>
        )}
        <ul className="list records">
          {shown.map((endpoint) => (
            <Row
              key={endpoint.id}
              endpoint={endpoint}
              isOpen={endpoint.id === chosen}
              press={() => choose(endpoint.id === chosen ? undefined : endpoint.id)}
            />
          ))}
        </ul>
        <ApiCall calls={[{ method: "GET", path: ENDPOINTS_PATH }]} />
      </Panel>
      {open !== undefined && (
        <Deliveries
          key={open.id}
          endpoint={open}
          change={() => setLayer({ kind: "change", endpoint: open })}
          onRotated={showSecret}
        />
      )}
      {layer?.kind === "add" && <EndpointForm<AddEventEndpointAnswer> done={showSecret} close={close} />}
      {layer?.kind === "change" && (
        <EndpointForm
          endpoint={layer.endpoint}
          done={() => {
            close();
            refresh();
          }}
          close={close}
        />
      )}
      {layer?.kind === "secret" && (
        <ShownOnce title={layer.endpoint.url} name="the secret" secret={layer.endpoint.secret} close={close}>
          <p>
            Each event is signed with it. <a href="/docs/events">How to verify a request</a>
          </p>
        </ShownOnce>
      )}
    </>
  );
}

function Row({ endpoint, isOpen, press }: { endpoint: Endpoint; isOpen: boolean; press: () => void }) {
  return (
    <li>
      <button type="button" className="link" data-row aria-expanded={isOpen} onClick={press}>
        <span className="mono">{endpoint.url}</span>
      </button>
      <span className="quiet">
        {endpoint.description === "" ? "" : `${endpoint.description}: `}
        {endpoint.types.length === 0 ? "every type" : endpoint.types.join(", ")}
      </span>
      <EndpointState endpoint={endpoint} />
    </li>
  );
}

function EndpointState({ endpoint: { state, failingSince, offBecause } }: { endpoint: Endpoint }) {
  if (state === "off") return <Status kind="quiet">Off{offBecause === null ? "" : `: ${offBecause}`}</Status>;
  if (failingSince === null) return <Status kind="done">On</Status>;
  return (
    <Status kind="fail">
      Failing since <When at={failingSince} />
    </Status>
  );
}
