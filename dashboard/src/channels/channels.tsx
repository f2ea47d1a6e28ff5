import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ListChannelsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { Endpoints } from "./endpoints.tsx";
import { Records } from "./records.tsx";

const LISTS = [
  ["places", "Messaging channels"],
  ["events", "Event endpoints"],
  ["records", "Records"],
] as const;

export function Channels() {
  const search = useSearch({ from: "/channels" });
  // A link to a record names its channel.
  const { list = search.channel === undefined ? "places" : "records" } = search;
  const navigate = useNavigate({ from: "/channels" });
  useRowKeys();
  return (
    <>
      <h1>Channels</h1>
      <Choices
        label="List"
        values={LISTS}
        chosen={list}
        choose={(one) => void navigate({ search: one === "places" ? {} : { list: one } })}
      />
      {list === "records" && <Records />}
      {list === "events" && <Endpoints />}
      {list === "places" && <Places />}
    </>
  );
}

const STATES = { to_install: "wait", on: "done", off: "quiet" } as const;
const KINDS = { slack: "Slack", whatsapp: "WhatsApp", email: "Email" } as const;
const WORDS = { to_install: "To be installed", on: "On", off: "Off" } as const;

function Places() {
  const channels = useQuery({
    queryKey: ["channels"],
    queryFn: ({ signal }) => api<ListChannelsAnswer>("/api/channels", { signal }),
  });
  const shown = channels.data?.channels ?? [];
  return (
    <Panel title="Where people converse and approve">
      {channels.isPending && <Rows count={2} />}
      {channels.error !== null && <Problem error={channels.error} retry={() => void channels.refetch()} />}
      {channels.isSuccess && shown.length === 0 && (
        <Empty>
          No channel has been added yet. <a href="/docs/channels">How to add one</a>
        </Empty>
      )}
      <ul className="list plain-list">
        {shown.map(({ id, kind, name, state, offBecause, isSimulated }) => (
          <li key={id}>
            <span>
              <strong>{name}</strong>
              <br />
              <span className="quiet">
                {KINDS[kind]}
                {isSimulated ? ", simulated: no real person is written to" : ""}
                {offBecause === null ? "" : `. ${offBecause}`}
              </span>
            </span>
            <span className="buttons">
              <Status kind={STATES[state]}>{WORDS[state]}</Status>
              {state !== "to_install" && <Switch id={id} name={name} to={state === "on" ? "off" : "on"} />}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Switch({ id, name, to }: { id: string; name: string; to: "on" | "off" }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () => api(`/api/channels/${id}`, { method: "POST", body: { name, state: to } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["channels"] }),
  });
  return (
    <>
      {change.error !== null && <Problem error={change.error} />}
      <button
        type="button"
        className="plain small"
        aria-label={`Switch ${name} ${to}`}
        disabled={change.isPending}
        onClick={() => change.mutate()}
      >
        Switch {to}
      </button>
    </>
  );
}
