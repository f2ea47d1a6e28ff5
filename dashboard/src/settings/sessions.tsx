import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Session } from "../api.ts";
import { fromNow, time } from "../format.ts";
import { Panel, Problem, Rows } from "../parts/states.tsx";
import { Passkeys } from "./passkeys.tsx";

export function Sessions() {
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: () => api<{ sessions: readonly Session[] }>("/api/sessions"),
  });
  const end = useMutation({
    mutationFn: (sessionId: string) => api(`/api/sessions/${sessionId}`, { method: "DELETE" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <>
      <h1>Sessions and passkeys</h1>
      <Panel title="Where you are signed in">
        {sessions.isPending && <Rows count={2} />}
        {sessions.error !== null && <Problem error={sessions.error} retry={() => void sessions.refetch()} />}
        {end.error !== null && <Problem error={end.error} />}
        <ul className="list">
          {sessions.data?.sessions.map(({ sessionId, browser, address, createdAt, seenAt }) => (
            <li key={sessionId}>
              <span>
                {sayBrowser(browser)} <span className="quiet">from {address}</span>
              </span>
              <span className="quiet" title={time(createdAt)}>
                seen {fromNow(seenAt)}
              </span>
              <button
                type="button"
                className="plain small"
                disabled={end.isPending}
                onClick={() => end.mutate(sessionId)}
              >
                End
              </button>
            </li>
          ))}
        </ul>
      </Panel>
      <Passkeys />
    </>
  );
}

const BROWSERS = ["Edg", "Firefox", "Chrome", "Safari"] as const;
const SYSTEMS = ["Windows", "Android", "iPhone", "Mac OS", "Linux"] as const;

/** Short words for what a browser says of itself. */
function sayBrowser(name: string): string {
  const browser = BROWSERS.find((word) => name.includes(word))?.replace("Edg", "Edge");
  const system = SYSTEMS.find((word) => name.includes(word));
  return [browser ?? "A browser", ...(system === undefined ? [] : [`on ${system}`])].join(" ");
}
