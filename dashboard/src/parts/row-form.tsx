import type { ReactNode } from "react";
import { Problem } from "./states.tsx";

/** A form within a row of a list, which closes it again. */
export function RowForm(props: {
  className?: string;
  sent: { error: Error | null; isPending: boolean };
  submit: (form: HTMLFormElement) => void;
  close: () => void;
  children: ReactNode;
}) {
  const { className, sent, submit, close, children } = props;
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      {children}
      {sent.error !== null && <Problem error={sent.error} />}
      <div className="buttons">
        <button type="button" className="plain small" onClick={close}>
          Cancel
        </button>
        <button type="submit" className="small" disabled={sent.isPending}>
          Save
        </button>
      </div>
    </form>
  );
}
