import { useRef, useState } from "react";

/** A text to copy. Without a clipboard, as on plain http, it is selected instead. */
export function Copy({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLElement>(null);
  const [said, say] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      const selection = getSelection();
      if (shown.current !== null) selection?.selectAllChildren(shown.current);
      say("Selected: press Ctrl+C");
    }
  };
  return (
    <div className="copy">
      <pre>
        <code ref={shown}>{text}</code>
      </pre>
      <button type="button" className="plain small" onClick={copy} aria-label={`Copy ${label}`}>
        Copy
      </button>
      <span role="status" className="quiet">
        {said}
      </span>
    </div>
  );
}

/** Only a button: the id stands beside it, or in the answer. */
export function CopyId({ id }: { id: string }) {
  const [said, say] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      say("Copied");
    } catch {
      say(id);
    }
  };
  return (
    <>
      <span role="status" className="quiet mono">
        {said}
      </span>
      <button type="button" className="plain small" onClick={copy} aria-label={`Copy ${id}`}>
        Copy the ID
      </button>
    </>
  );
}
