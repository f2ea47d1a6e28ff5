import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RotateEventEndpointSecretAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Ask } from "../parts/ask.tsx";
import { LONGEST_OVERLAP, Overlap } from "../parts/overlap.tsx";
import { Problem } from "../parts/states.tsx";
import { ENDPOINTS_PATH, type Endpoint } from "./endpoint-form.tsx";

/** Tests, changes, rotates, switches and removes an endpoint. */
export function EndpointActions(props: {
  endpoint: Endpoint;
  change: () => void;
  onRotated: (answer: RotateEventEndpointSecretAnswer) => void;
}) {
  const { endpoint, change, onRotated } = props;
  return (
    <div className="buttons">
      {endpoint.state === "on" && <Test endpoint={endpoint} />}
      <button type="button" className="plain small" onClick={change}>
        Change
      </button>
      <Rotate endpoint={endpoint} onRotated={onRotated} />
      <Switch endpoint={endpoint} />
      <Remove endpoint={endpoint} />
    </div>
  );
}

function Test({ endpoint: { id } }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => api(`${ENDPOINTS_PATH}/${id}/test`, { method: "POST", body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["deliveries", id] }),
  });
  return (
    <>
      <button type="button" className="plain small" disabled={test.isPending} onClick={() => test.mutate()}>
        Send a test event
      </button>
      {test.error !== null && <Problem error={test.error} />}
    </>
  );
}

function Rotate({
  endpoint: { id, url },
  onRotated,
}: {
  endpoint: Endpoint;
  onRotated: (answer: RotateEventEndpointSecretAnswer) => void;
}) {
  const [overlapHours, setOverlap] = useState(LONGEST_OVERLAP);
  const path = `${ENDPOINTS_PATH}/${id}/rotate`;
  const body = { overlapHours };
  const rotate = useMutation({
    mutationFn: () => api<RotateEventEndpointSecretAnswer>(path, { method: "POST", body }),
    onSuccess: onRotated,
  });
  return (
    <Ask
      button="Rotate the secret"
      title={`A new secret for ${url}?`}
      says={
        <>
          <p>Until the old one ends, each event is signed with both, so that the receiver loses none.</p>
          <Overlap label="The old secret is used for" hours={overlapHours} change={setOverlap} />
        </>
      }
      yes="Create the new secret"
      error={rotate.error}
      run={() => rotate.mutateAsync()}
      call={{ method: "POST", path, body }}
    />
  );
}

function Switch({ endpoint: { id, url, description, types, state } }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const path = `${ENDPOINTS_PATH}/${id}`;
  const body = { url, description, types, state: state === "on" ? "off" : "on" };
  const change = useMutation({
    mutationFn: () => api(path, { method: "POST", body, isRepeatable: true }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["endpoints"] }),
  });
  if (state === "on") {
    return (
      <Ask
        button="Switch off"
        title={`Send no more events to ${url}?`}
        says="Events that wait for it fail. Once it is on again, they can be sent again, one by one here or all of a period by the API."
        yes="Switch it off"
        error={change.error}
        run={() => change.mutateAsync()}
        call={{ method: "POST", path, body }}
      />
    );
  }
  return (
    <>
      <button type="button" className="plain small" disabled={change.isPending} onClick={() => change.mutate()}>
        Switch on again
      </button>
      {change.error !== null && <Problem error={change.error} />}
    </>
  );
}

function Remove({ endpoint: { id, url } }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const path = `${ENDPOINTS_PATH}/${id}`;
  const remove = useMutation({
    mutationFn: () => api(path, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["endpoints"] }),
  });
  return (
    <Ask
      button="Remove"
      title={`Remove ${url}?`}
      says="Nothing is sent there any more, and the list of what was sent ends. The events themselves stay readable for 30 days."
      yes="Remove the endpoint"
      error={remove.error}
      run={() => remove.mutateAsync()}
      call={{ method: "DELETE", path }}
    />
  );
}
