import { Dialog } from "@base-ui/react/dialog";
import { Tabs } from "@base-ui/react/tabs";
import { useEffect } from "react";
import type { Key } from "../api.ts";
import { Copy } from "../parts/copy.tsx";

/** A new key, which nobody sees a second time: each way out asks. */
export function ShownKey({
  made: { apiKey, key },
  close,
}: {
  made: { apiKey: string; key: Pick<Key, "name"> };
  close: () => void;
}) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
  const leave = () => {
    if (confirm("Have you stored the key? It is not shown again.")) close();
  };
  return (
    <Dialog.Root open onOpenChange={leave}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>{key.name}</Dialog.Title>
          <Dialog.Description>Store the key now: it is not shown again.</Dialog.Description>
          <Copy text={apiKey} label="the key" />
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
          <div className="buttons">
            <button type="button" onClick={leave}>
              I have stored it
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
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
