import { Dialog } from "@base-ui/react/dialog";

/** The keys of every page, and those of pages with rows or a sheet. */
export default function KeyList({ close }: { close: () => void }) {
  const hasRows = document.querySelector("[data-row]") !== null;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>Keys of this page</Dialog.Title>
          <Dialog.Description>No key spends money, decides or cancels.</Dialog.Description>
          <dl className="details keys-list">
            {hasRows && (
              <>
                <Keys keys={["J"]} says="the next row" />
                <Keys keys={["K"]} says="the row before" />
                <Keys keys={["Enter"]} says="opens the row, or closes it again" />
              </>
            )}
            <Keys keys={["Ctrl", "K"]} says="finds pages, tools, trips and records" />
            <Keys keys={["Esc"]} says="closes what is above the page" />
            <Keys keys={["?"]} says="this list" />
          </dl>
          <div className="buttons">
            <Dialog.Close className="plain">Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Keys({ keys, says }: { keys: readonly string[]; says: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{says}</dd>
    </>
  );
}
