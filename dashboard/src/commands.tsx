import { Dialog } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import { useState } from "react";
import { type Found, useActions } from "./commands/actions.ts";
import { useFound } from "./commands/found.ts";
import { readRecents, rememberRecent } from "./commands/recents.ts";

/** Ctrl+K: pages, tools, trips, bookings, runs, people and actions by name, and records by their ids. It spends nothing. */
export default function Commands({ close }: { close: () => void }) {
  const [text, setText] = useState("");
  const groups = [...useActions(text.trim()), ...useFound()];
  const all = new Map(groups.flatMap(({ found }) => found).map((one) => [one.id, one]));
  const recents = text === "" ? readRecents().flatMap((id) => all.get(id) ?? []) : [];
  const choose = ({ id, open }: Found) => {
    rememberRecent(id);
    close();
    open();
  };
  const line = (one: Found, place: string) => (
    <Command.Item
      key={one.id}
      value={`${place} ${one.id}`}
      keywords={[one.name, one.words ?? ""]}
      onSelect={() => choose(one)}
    >
      {one.name}
    </Command.Item>
  );
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog finder" aria-label="Find">
          <Command label="Find" filter={matchWords}>
            <Command.Input
              placeholder="A page, tool, trip, booking, person or action, or an id"
              value={text}
              onValueChange={setText}
            />
            <Command.List>
              <Command.Empty>Nothing has this name. Older records are found by their ids.</Command.Empty>
              {recents.length > 0 && (
                <Command.Group heading="Recent">{recents.map((one) => line(one, "recent"))}</Command.Group>
              )}
              {groups.map(({ heading, found }) =>
                found.length === 0 ? null : (
                  <Command.Group key={heading} heading={heading}>
                    {found.map((one) => line(one, heading))}
                  </Command.Group>
                ),
              )}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Every word must occur; a name that begins with them comes first. */
function matchWords(_value: string, search: string, keywords: readonly string[] = []): number {
  const [name = ""] = keywords;
  const text = keywords.join(" ").toLowerCase();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => text.includes(word))) return 0;
  return name.toLowerCase().startsWith(words[0] ?? "") ? 1 : 0.5;
}
