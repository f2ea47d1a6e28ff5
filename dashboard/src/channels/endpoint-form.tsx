import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ListEventEndpointsAnswer } from "../answers.ts";
import { ApiError, api } from "../api.ts";
import { FormSheet } from "../parts/form-sheet.tsx";
import { EVENT_GROUPS } from "./event-types.ts";

export type Endpoint = ListEventEndpointsAnswer["endpoints"][number];

export const ENDPOINTS_PATH = "/api/event-endpoints";

/** Adds an endpoint, or changes the given one. */
export function EndpointForm<Answer extends Endpoint>(props: {
  endpoint?: Endpoint;
  done: (answer: Answer) => void;
  close: () => void;
}) {
  const { endpoint, done, close } = props;
  const [isEvery, setEvery] = useState(endpoint === undefined || endpoint.types.length === 0);
  const [isEmpty, setEmpty] = useState(false);
  const path = endpoint === undefined ? ENDPOINTS_PATH : `${ENDPOINTS_PATH}/${endpoint.id}`;
  const save = useMutation({
    // To write the same fields once more changes nothing; to add once more adds a second one.
    mutationFn: (body: object) => api<Answer>(path, { method: "POST", body, isRepeatable: endpoint !== undefined }),
    onSuccess: done,
  });
  const submit = (element: HTMLFormElement) => {
    const form = new FormData(element);
    const types = isEvery ? [] : form.getAll("type").map(String);
    // The service takes no type for all of them.
    const isEmpty = !isEvery && types.length === 0;
    setEmpty(isEmpty);
    if (isEmpty) return;
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const fields = { url: text("url"), description: text("description"), types };
    save.mutate(endpoint === undefined ? fields : { ...fields, state: endpoint.state });
  };
  return (
    <FormSheet
      title={endpoint === undefined ? "New event endpoint" : "Change the event endpoint"}
      says={
        endpoint === undefined
          ? "Events are sent to it from now on. Its secret, which proves that they come from here, is shown once."
          : "Its secret stays the same."
      }
      lost={endpoint === undefined ? "Leave without adding the endpoint?" : "Leave without saving?"}
      yes={endpoint === undefined ? "Add the endpoint" : "Save"}
      sent={{ error: sayProblem(save.error), isPending: save.isPending }}
      submit={submit}
      close={close}
    >
      <label htmlFor="endpoint-url">Address</label>
      <input
        id="endpoint-url"
        name="url"
        type="url"
        required
        maxLength={2_000}
        placeholder="https://example.com/wayfare"
        defaultValue={endpoint?.url}
      />
      <label htmlFor="endpoint-description">Description</label>
      <input
        id="endpoint-description"
        name="description"
        maxLength={200}
        placeholder="What it is for"
        defaultValue={endpoint?.description}
      />
      <fieldset>
        <legend>Events</legend>
        <label className="choice">
          <input type="checkbox" checked={isEvery} onChange={({ target }) => setEvery(target.checked)} />
          Every type, also those of later releases
        </label>
        {!isEvery && <Types chosen={endpoint?.types ?? []} />}
        {isEmpty && (
          <p className="error" role="alert">
            Choose at least one.
          </p>
        )}
      </fieldset>
    </FormSheet>
  );
}

function Types({ chosen }: { chosen: readonly string[] }) {
  return [...EVENT_GROUPS].map(([group, types]) => (
    <details key={group} open={types.some(({ type }) => chosen.includes(type))}>
      <summary>{group}</summary>
      {types.map(({ type, says }) => (
        <label className="choice" key={type}>
          <input type="checkbox" name="type" value={type} defaultChecked={chosen.includes(type)} />
          <span className="choice-words">
            <span className="mono">{type}</span> <span className="quiet">{says}</span>
          </span>
        </label>
      ))}
    </details>
  ));
}

/** The guard of addresses gives its reason for programs, in parentheses. */
const ADDRESS_REASONS: readonly (readonly [reason: string, says: string])[] = [
  ["not an address", "This is not a web address. Write it in full, such as https://example.com/wayfare."],
  ["protocol not allowed", "Events are sent by https only. Begin the address with https://."],
  ["port not allowed", "Leave out the port: events are sent to port 443 only."],
  [
    "not a public address",
    "This address is inside a private network, and events are sent to public addresses only. Whoever runs this deployment can allow the network (EVENT_NETWORKS).",
  ],
  ["user name or password", "Leave out the user name and the password. The signature of each event proves its sender."],
];

function sayProblem(error: Error | null): Error | null {
  const issue = error instanceof ApiError ? error.issues.find(({ path }) => path === "url") : undefined;
  const says = ADDRESS_REASONS.find(([reason]) => issue?.message.includes(`(${reason}`))?.[1];
  return says === undefined ? error : new Error(says, { cause: error });
}
