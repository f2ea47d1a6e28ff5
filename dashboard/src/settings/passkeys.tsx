import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { api } from "../api.ts";
import { fromNow, time } from "../format.ts";
import { Ask } from "../parts/ask.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

interface Passkey {
  passkeyId: string;
  name: string;
  createdAt: string;
  usedAt: string | null;
}

const PATH = "/sign-in/passkeys";
const KEY = ["passkeys"];

/** Browsers bind passkeys to a name, and the service offers none at an address without one. */
const hasName = !/^[\d.]+$|^\[/.test(location.hostname);
const canAdd = "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** Asks the browser for a new passkey, and stores its public part. */
async function addPasskey(name: string): Promise<void> {
  const options = await api<PublicKeyCredentialCreationOptionsJSON>(`${PATH}/options`, { method: "POST" });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("The browser made no passkey.");
  await api(PATH, { method: "POST", body: { name, response: credential.toJSON() } });
}

/** The person's own passkeys, of the membership that they signed in with. */
export function Passkeys() {
  const queryFn = () => api<{ passkeys: readonly Passkey[] }>(PATH);
  const passkeys = useQuery({ queryKey: KEY, queryFn, enabled: hasName });
  if (!hasName) {
    return (
      <Panel title="Passkeys">
        <Empty>Browsers accept passkeys only at an address with a name, such as localhost or your own domain.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Passkeys">
      {passkeys.isPending && <Rows count={1} />}
      {passkeys.error !== null && <Problem error={passkeys.error} retry={() => void passkeys.refetch()} />}
      {passkeys.isSuccess && passkeys.data.passkeys.length === 0 && (
        <Empty>With a passkey you sign in without a code, by the lock of your device.</Empty>
      )}
      <ul className="list">
        {passkeys.data?.passkeys.map((one) => (
          <Row key={one.passkeyId} of={one} />
        ))}
      </ul>
      {passkeys.isSuccess && canAdd && <Add />}
    </Panel>
  );
}

function Row({ of: { passkeyId, name, createdAt, usedAt } }: { of: Passkey }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api(`${PATH}/${passkeyId}`, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <li>
      <span>{name}</span>
      <span className="quiet" title={`added ${time(createdAt)}`}>
        {usedAt === null ? "never used" : `used ${fromNow(usedAt)}`}
      </span>
      <Ask
        button="Remove"
        title={`Remove ${name}?`}
        says="It does not sign you in any more. Sessions that it began go on."
        yes="Remove it"
        error={remove.error}
        run={() => remove.mutateAsync()}
      />
    </li>
  );
}

function Add() {
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(String(new FormData(event.currentTarget).get("name")));
  };
  return (
    <form onSubmit={submit}>
      <label htmlFor="passkey-name">Name</label>
      <input id="passkey-name" name="name" required maxLength={100} placeholder="Such as my laptop" />
      {add.error !== null && <Problem error={add.error} />}
      <div className="buttons">
        <button type="submit" disabled={add.isPending}>
          Add a passkey
        </button>
      </div>
    </form>
  );
}
