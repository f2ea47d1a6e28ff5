import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../api.ts";
import { toolName, usdc } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Empty, Panel, Problem } from "../parts/states.tsx";
import { DISPATCH_PATH } from "./tools.ts";

interface Turn {
  conversationId: string;
  turnId: string;
  reply: string | null;
  priceMicroUsdc: string;
  toolCalls: readonly { toolCallId: string; tool: string; outcome: string }[];
}

interface Said {
  text: string;
  turn: Turn;
}

/** Stays while another tool or page is looked at. */
let kept: readonly Said[] = [];

/** The same agent that travelers talk to: it calls the tools, and asks before it spends. */
export function Talk() {
  const queries = useQueryClient();
  const [said, setSaid] = useState(kept);
  const [text, setText] = useState("");
  const conversationId = said.at(-1)?.turn.conversationId;
  const body = { channel: "web", input: text, ...(conversationId === undefined ? {} : { conversationId }) };
  const keep = (next: readonly Said[]) => {
    kept = next;
    setSaid(next);
  };
  const send = useMutation({
    mutationFn: () => api<Turn>(DISPATCH_PATH, { method: "POST", body }),
    onSuccess: async (turn) => {
      keep([...kept, { text, turn }]);
      setText("");
      await queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== "tools" });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") send.mutate();
  };
  return (
    <div className="talk">
      <Panel
        title="Conversation"
        aside={
          said.length > 0 && (
            <button type="button" className="plain small" onClick={() => keep([])}>
              Begin anew
            </button>
          )
        }
      >
        {said.length === 0 && <Empty>Ask as a traveler would: “Find a flight from London to Lisbon on Friday”.</Empty>}
        <ol className="turns" aria-live="polite">
          {said.map(({ text: question, turn: { turnId, reply, toolCalls, priceMicroUsdc } }) => (
            <li key={turnId}>
              <p className="said">{question}</p>
              <p className="reply">{reply ?? "It gave no answer."}</p>
              <p className="quiet">
                {toolCalls.map(({ tool, outcome }) => `${toolName(tool)}: ${outcome}`).join(", ")}
                {toolCalls.length > 0 && ", "}
                {usdc(priceMicroUsdc)} USDC
              </p>
            </li>
          ))}
        </ol>
        <form onSubmit={submit}>
          <label htmlFor="talk">Say something</label>
          <textarea
            id="talk"
            rows={2}
            maxLength={4_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {send.error !== null && <Problem error={send.error} />}
          <div className="buttons">
            <button type="submit" className="plain" disabled={send.isPending || text.trim() === ""}>
              {send.isPending ? "Waiting for the answer" : "Send"}
            </button>
          </div>
        </form>
        <ApiCall calls={[{ method: "POST", path: DISPATCH_PATH, body }]} />
      </Panel>
    </div>
  );
}
