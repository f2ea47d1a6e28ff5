import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useState } from "react";
import { Problem } from "../parts/states.tsx";

/** A button whose question comes first. */
export function Ask(props: {
  button: string;
  title: string;
  says: string;
  yes: string;
  error: Error | null;
  run: () => Promise<unknown>;
}) {
  const { button, title, says, yes, error, run } = props;
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
          <AlertDialog.Description>{says}</AlertDialog.Description>
          {error !== null && <Problem error={error} />}
          <div className="buttons">
            <AlertDialog.Close className="plain">Keep it as it is</AlertDialog.Close>
            <button type="button" disabled={isBusy} onClick={confirm}>
              {yes}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
