import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { PAGES } from "./pages.ts";

/** Ctrl+K: pages and actions by name. It spends and changes nothing. */
export default function Commands({ close }: { close: () => void }) {
  const navigate = useNavigate();
  const go = (to: (typeof PAGES)[number]["to"]) => {
    close();
    void navigate({ to });
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog finder" aria-label="Find">
          <Command label="Find">
            <Command.Input placeholder="Find a page" />
            <Command.List>
              <Command.Empty>Nothing has this name.</Command.Empty>
              <Command.Group heading="Pages">
                {PAGES.map(({ to, label }) => (
                  <Command.Item key={to} onSelect={() => go(to)}>
                    {label}
                  </Command.Item>
                ))}
              </Command.Group>
              <Command.Group heading="Read">
                <Command.Item onSelect={() => location.assign("/docs")}>Documentation</Command.Item>
                <Command.Item onSelect={() => location.assign("/reference")}>API reference</Command.Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
