import { Tabs } from "@base-ui/react/tabs";
import type { Key } from "../api.ts";
import { Copy } from "../parts/copy.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Status } from "../parts/states.tsx";
import { hasCalled, useKeyHours } from "./key-hours.tsx";

/** A new key, with what to do with it. */
export function ShownKey({
  made: { apiKey, key },
  close,
}: {
  /** Without its id, it is of another tenant: its calls cannot be seen from here. */
  made: { apiKey: string; key: Pick<Key, "name"> & Partial<Pick<Key, "keyId">> };
  close: () => void;
}) {
  return (
    <ShownOnce title={key.name} name="the key" secret={apiKey} close={close}>
      <h3>Use it</h3>
      <Tabs.Root defaultValue="curl">
        <Tabs.List className="tabs" aria-label="Program">
          {Object.keys(lines("", "")).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(lines(location.origin, apiKey)).map(([name, text]) => (
          <Tabs.Panel key={name} value={name}>
            <Copy text={text} label={`the lines for ${name}`} />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
      {key.keyId !== undefined && <FirstCall keyId={key.keyId} />}
    </ShownOnce>
  );
}

const SOON_MILLISECONDS = 3_000;

/** Says when the new key has been used, so that whoever sets up an agent need not look elsewhere. */
function FirstCall({ keyId }: { keyId: string }) {
  const hours = useKeyHours((seen) => (hasCalled(seen, keyId) ? false : SOON_MILLISECONDS));
  if (hours.error !== null) return null;
  const isSeen = hasCalled(hours.data, keyId);
  return (
    <p role="status">
      <Status kind={isSeen ? "done" : "wait"}>
        {isSeen ? "The first call has arrived" : "Waits for the first call"}
      </Status>
    </p>
  );
}

const lines = (origin: string, apiKey: string): Readonly<Record<string, string>> => ({
  curl: `curl -s -X POST ${origin}/api/agent/dispatch \\
  -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" \\
  -d '{"tool":"read_account","args":{}}'`,
  "Claude Code": `claude mcp add --transport http wayfare ${origin}/api/mcp --header "Authorization: Bearer ${apiKey}"`,
  Cursor: JSON.stringify(
    { mcpServers: { wayfare: { url: `${origin}/api/mcp`, headers: { Authorization: `Bearer ${apiKey}` } } } },
    null,
    2,
  ),
  "VS Code": JSON.stringify(
    {
      servers: { wayfare: { type: "http", url: `${origin}/api/mcp`, headers: { Authorization: `Bearer ${apiKey}` } } },
    },
    null,
    2,
  ),
});
