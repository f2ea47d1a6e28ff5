import { Fragment } from "react";

/** An error code, which wraps between its words and not within one. */
export function ErrorCode({ code }: { code: string }) {
  return (
    <span className="mono code">
      {code.split("_").map((word, at, words) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a code does not change.
        <Fragment key={at}>
          {word}
          {at < words.length - 1 && (
            <>
              _<wbr />
            </>
          )}
        </Fragment>
      ))}
    </span>
  );
}
