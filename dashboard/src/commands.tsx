import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { useState } from "react";
import { PAGES } from "./pages.ts";

/** Ctrl+K: pages by name, and records by their ids. It spends and changes nothing. */
export default function Commands({ close }: { close: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const go = (to: (typeof PAGES)[number]["to"]) => {
    close();
    void navigate({ to });
  };
  const id = text.trim();
  const found = [
    ...(/^(ord|bok)_\w{10,}$/.test(id)
      ? [{ name: `Booking ${id}`, open: () => navigate({ to: "/trips/orders/$orderId", params: { orderId: id } }) }]
      : []),
    ...(/^run_\w{10,}$/.test(id)
      ? [{ name: `Run ${id}`, open: () => navigate({ to: "/runs/$runId", params: { runId: id } }) }]
      : []),
    ...(/^0x[0-9a-fA-F]{64}$/.test(id)
      ? [
          {
            name: `Trip ${id.slice(0, 10)}`,
            open: () => navigate({ to: "/trips/budgets/$tripId", params: { tripId: id } }),
          },
        ]
      : []),
  ];
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog finder" aria-label="Find">
          <Command label="Find">
            <Command.Input
              placeholder="A page, or the id of a booking, run or trip"
              value={text}
              onValueChange={setText}
            />
            <Command.List>
              <Command.Empty>Nothing has this name.</Command.Empty>
              {found.map(({ name, open }) => (
                <Command.Item
                  key={name}
                  value={id}
                  onSelect={() => {
                    close();
                    void open();
                  }}
                >
                  {name}
                </Command.Item>
              ))}
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
