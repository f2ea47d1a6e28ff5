import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type ReactNode, useId, useState } from "react";
import { ApiCall, type ShownCall } from "./api-call.tsx";
import { Problem } from "./states.tsx";

/** A button that asks before it does something, and says what that means. */
export function Ask(props: {
  button: string;
  title: string;
  says: ReactNode;
  yes: string;
  error: Error | null;
  run: () => Promise<unknown>;
  no?: string;
  call?: ShownCall;
  /** A name that has to be typed first, where what ends cannot be had back. */
  typed?: string;
}) {
  const { button, title, says, yes, no = "Keep it as it is", error, run, call, typed = "" } = props;
  const [isOpen, setOpen] = useState(false);
  const [written, write] = useState("");
  const id = useId();
  const open = (next: boolean) => {
    setOpen(next);
    write("");
  };
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await run().then(
      () => open(false),
      // It is shown in the dialog.
      () => undefined,
    );
    setBusy(false);
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={open}>
      <AlertDialog.Trigger className="plain small">{button}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{says}</AlertDialog.Description>
          {typed !== "" && (
            <>
              <label htmlFor={id}>Type “{typed}” to confirm</label>
              <input id={id} autoComplete="off" value={written} onChange={({ target }) => write(target.value)} />
            </>
          )}
          {error !== null && <Problem error={error} />}
          {call !== undefined && <ApiCall calls={[call]} />}
          <div className="buttons">
            <AlertDialog.Close className="plain">{no}</AlertDialog.Close>
            <button type="button" disabled={isBusy || !isSame(written, typed)} onClick={confirm}>
              {yes}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** Names may have spaces or letters that no keyboard gives twice in the same way. */
const isSame = (written: string, name: string): boolean =>
  written.normalize("NFKC").trim().toLowerCase() === name.normalize("NFKC").trim().toLowerCase();
