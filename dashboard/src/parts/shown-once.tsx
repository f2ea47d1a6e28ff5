import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useEffect } from "react";
import { Copy } from "./copy.tsx";

/** A secret that nobody sees a second time: each way out asks. */
export function ShownOnce(props: {
  title: string;
  /** The secret in words, such as "the key". */
  name: string;
  secret: string;
  close: () => void;
  children?: ReactNode;
}) {
  const { title, name, secret, close, children } = props;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
  const leave = () => {
    if (confirm(`Have you stored ${name}? It is not shown again.`)) close();
  };
  return (
    <Dialog.Root open onOpenChange={leave}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>{title}</Dialog.Title>
          <Dialog.Description>Store {name} now: it is not shown again.</Dialog.Description>
          <Copy text={secret} label={name} />
          {children}
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
