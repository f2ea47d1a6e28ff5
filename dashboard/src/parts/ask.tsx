import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type ReactNode, useState } from "react";
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
}) {
  const { button, title, says, yes, no = "Keep it as it is", error, run, call } = props;
  const [isOpen, open] = useState(false);
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
          {error !== null && <Problem error={error} />}
          {call !== undefined && <ApiCall calls={[call]} />}
          <div className="buttons">
            <AlertDialog.Close className="plain">{no}</AlertDialog.Close>
            <button type="button" disabled={isBusy} onClick={confirm}>
              {yes}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
