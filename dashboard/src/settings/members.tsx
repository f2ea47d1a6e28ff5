import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../api.ts";
import { member as self } from "../boot.ts";
import { time } from "../format.ts";
import { Ask } from "../parts/ask.tsx";
import { Copy } from "../parts/copy.tsx";
import { RowForm } from "../parts/row-form.tsx";
import { Panel, Problem, Rows, Status } from "../parts/states.tsx";

const ROLES = ["traveler", "booker", "approver", "finance", "developer", "auditor", "admin", "owner"] as const;

interface Member {
  memberId: string;
  name: string;
  email: string;
  roles: readonly string[];
  state: "active" | "invited";
}

interface Invited {
  member: Member;
  link: string | null;
  expiresAt: string;
}

const KEY = ["members"];

/** The people of the tenant, for those who administer. */
export function Members() {
  const [invited, setInvited] = useState<Invited>();
  const members = useQuery({ queryKey: KEY, queryFn: () => api<{ members: readonly Member[] }>("/api/members") });
  return (
    <>
      <h1>Members</h1>
      <Panel title={`Who works for ${self.tenantName}, ${self.environment}`}>
        {members.isPending && <Rows count={3} />}
        {members.error !== null && <Problem error={members.error} retry={() => void members.refetch()} />}
        <ul className="list keys">
          {members.data?.members.map((one) => (
            <Row key={one.memberId} of={one} onInvited={setInvited} />
          ))}
        </ul>
      </Panel>
      {members.isSuccess && <Invite onInvited={setInvited} />}
      {invited !== undefined && <Sent of={invited} />}
    </>
  );
}

/** The answer to an invitation: with a mail server the person has the link, otherwise it is shown here once. */
function Sent({ of: { member, link, expiresAt } }: { of: Invited }) {
  return (
    <div role="status">
      <Panel title={`${member.name} is invited`}>
        {link === null ? (
          <p>
            A mail with a link is on its way to {member.email}. It works once, until {time(expiresAt)}.
          </p>
        ) : (
          <>
            <p>
              There is no mail server. Pass this link on to {member.name} and to nobody else: it signs in whoever opens
              it, once, until {time(expiresAt)}.
            </p>
            <Copy text={link} label="the link" />
          </>
        )}
      </Panel>
    </div>
  );
}

function Roles({ chosen, id }: { chosen: readonly string[]; id: string }) {
  return (
    <fieldset>
      <legend>Roles</legend>
      <div className="pairs">
        {ROLES.map((role) => (
          <label className="choice" key={role}>
            <input
              type="checkbox"
              name="role"
              value={role}
              defaultChecked={chosen.includes(role)}
              id={`${id}-${role}`}
            />
            {role}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const readRoles = (form: HTMLFormElement): string[] => new FormData(form).getAll("role").map(String);

function Invite({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const queries = useQueryClient();
  const invite = useMutation({
    mutationFn: (body: object) => api<Invited>("/api/members", { method: "POST", body }),
    onSuccess: (invited) => {
      onInvited(invited);
      void queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const body = { name: String(data.get("name")), email: String(data.get("email")), roles: readRoles(form) };
    await invite.mutateAsync(body).then(
      () => form.reset(),
      // It is shown below the form.
      () => undefined,
    );
  };
  return (
    <Panel title="Invite somebody">
      <form onSubmit={submit}>
        <label htmlFor="invite-name">Name</label>
        <input id="invite-name" name="name" required maxLength={100} />
        <label htmlFor="invite-email">E-mail address</label>
        <input id="invite-email" name="email" type="email" required maxLength={254} />
        <Roles chosen={["traveler"]} id="invite" />
        {invite.error !== null && <Problem error={invite.error} />}
        <div className="buttons">
          <button type="submit" disabled={invite.isPending}>
            Invite
          </button>
        </div>
      </form>
    </Panel>
  );
}

function Row({ of: member, onInvited }: { of: Member; onInvited: (invited: Invited) => void }) {
  const { memberId, name, email, roles, state } = member;
  const [isChanging, setChanging] = useState(false);
  return (
    <li>
      <span>
        <strong>{name}</strong> <span className="quiet">{email}</span>
        <br />
        {isChanging ? (
          <ChangeRoles of={member} close={() => setChanging(false)} />
        ) : (
          <span className="quiet">{roles.join(", ")}</span>
        )}
      </span>
      <Status kind={state === "active" ? "done" : "wait"}>{state}</Status>
      <span className="buttons">
        {state === "invited" && <InviteAgain of={member} onInvited={onInvited} />}
        {!isChanging && (
          <button type="button" className="plain small" onClick={() => setChanging(true)}>
            Change roles
          </button>
        )}
        {memberId !== self.personId && <Remove of={member} />}
      </span>
    </li>
  );
}

function ChangeRoles({ of: { memberId, roles }, close }: { of: Member; close: () => void }) {
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (chosen: readonly string[]) =>
      api(`/api/members/${memberId}/roles`, { method: "POST", body: { roles: chosen } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: KEY });
      close();
    },
  });
  return (
    <RowForm sent={set} submit={(form) => set.mutate(readRoles(form))} close={close}>
      <Roles chosen={roles} id={memberId} />
    </RowForm>
  );
}

function InviteAgain({ of: { memberId }, onInvited }: { of: Member; onInvited: (invited: Invited) => void }) {
  const again = useMutation({
    mutationFn: () => api<Invited>(`/api/members/${memberId}/invitation`, { method: "POST" }),
    onSuccess: onInvited,
  });
  return (
    <>
      <button type="button" className="plain small" disabled={again.isPending} onClick={() => again.mutate()}>
        Invite again
      </button>
      {again.error !== null && <Problem error={again.error} />}
    </>
  );
}

function Remove({ of: { memberId, name } }: { of: Member }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api(`/api/members/${memberId}`, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <Ask
      button="Remove"
      title={`Remove ${name}?`}
      says="Their sessions, their keys and the agents that they have connected end at once."
      typed={name}
      yes="Remove them"
      error={remove.error}
      run={() => remove.mutateAsync()}
    />
  );
}
