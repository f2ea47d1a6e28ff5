import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { Problem } from "./states.tsx";

/** A sheet with a form; whoever leaves it after typing is asked first. */
export function FormSheet(props: {
  title: string;
  says: ReactNode;
  /** The question before what was typed is lost. */
  lost: string;
  yes: string;
  sent: { error: Error | null; isPending: boolean };
  submit: (form: HTMLFormElement) => void;
  close: () => void;
  children: ReactNode;
}) {
  const { title, says, lost, yes, sent, submit, close, children } = props;
  const [isDirty, setDirty] = useState(false);
  const leave = () => {
    if (!isDirty || confirm(lost)) close();
  };
  return (
    <Dialog.Root open onOpenChange={leave}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>{title}</Dialog.Title>
          <Dialog.Description>{says}</Dialog.Description>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              submit(event.currentTarget);
            }}
            onChange={() => setDirty(true)}
          >
            {children}
            {sent.error !== null && <Problem error={sent.error} />}
            <div className="buttons">
              <Dialog.Close className="plain">Cancel</Dialog.Close>
              <button type="submit" disabled={sent.isPending}>
                {yes}
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
