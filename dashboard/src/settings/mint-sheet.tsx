import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type NewKey } from "../api.ts";
import { member } from "../boot.ts";
import { FormSheet } from "../parts/form-sheet.tsx";
import { SCOPE_GROUPS } from "./scopes.ts";
import { ShownKey } from "./shown-key.tsx";

const LIFETIMES = [
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: undefined, label: "Never" },
] as const;
const DAY_MILLISECONDS = 86_400_000;

export function MintSheet({ close }: { close: () => void }) {
  const [made, setMade] = useState<NewKey>();
  const isSandbox = member.environment === "sandbox";
  const [isEverything, setEverything] = useState(isSandbox);
  const [isEmpty, setEmpty] = useState(false);
  /** One for this form: a request that is sent again replaces the key that nobody saw. */
  const requestId = useRef(crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`);
  const mint = useMutation({
    mutationFn: (body: object) => api<NewKey>("/api/keys", { method: "POST", body, isRepeatable: true }),
    onSuccess: setMade,
  });
  if (made !== undefined) return <ShownKey made={made} close={close} />;
  const submit = (element: HTMLFormElement) => {
    const form = new FormData(element);
    // The service would take no scopes for all of them.
    const isEmpty = isSandbox && !isEverything && form.getAll("scope").length === 0;
    setEmpty(isEmpty);
    if (!isEmpty) mint.mutate(readForm(form, { isEverything, requestId: requestId.current }));
  };
  return (
    <FormSheet
      title="New key"
      says={`For an agent of ${member.tenantName}, ${member.environment}. It is shown once.`}
      lost="Leave without creating the key?"
      yes="Create the key"
      sent={mint}
      submit={submit}
      close={close}
    >
      <label htmlFor="key-name">Name</label>
      <input
        id="key-name"
        name="name"
        required
        maxLength={100}
        placeholder="Where it is used, such as research agent"
      />
      <fieldset>
        <legend>What it may do</legend>
        {isSandbox ? null : (
          <p className="quiet">Without a choice, it reads everything but travelers, and rates agents.</p>
        )}
        {isSandbox && (
          <label className="choice">
            <input type="checkbox" checked={isEverything} onChange={({ target }) => setEverything(target.checked)} />
            Everything that an agent may do
          </label>
        )}
        {!isEverything &&
          SCOPE_GROUPS.map(({ area, scopes }) => (
            <details key={area}>
              <summary>{area}</summary>
              {scopes.map(({ scope, says }) => (
                <label className="choice" key={scope}>
                  <input type="checkbox" name="scope" value={scope} />
                  <span className="choice-words">
                    <span className="mono">{scope}</span> <span className="quiet">{says}</span>
                  </span>
                </label>
              ))}
            </details>
          ))}
        {isEmpty && (
          <p className="error" role="alert">
            Choose at least one.
          </p>
        )}
      </fieldset>
      <label htmlFor="key-life">Expires after</label>
      <select id="key-life" name="days" defaultValue="30">
        {LIFETIMES.map(({ days, label }) => (
          <option key={label} value={days ?? ""}>
            {label}
          </option>
        ))}
      </select>
      <fieldset>
        <legend>Limits in USDC</legend>
        <div className="pairs">
          <Limit name="perCallUsdc" label="Per call" />
          <Limit name="perDayUsdc" label="Per day" />
          <Limit name="perMonthUsdc" label="Per month" />
          <Limit name="feesUsdc" label="Call fees per month" />
        </div>
        <label htmlFor="key-recipients">May pay only these addresses</label>
        <input id="key-recipients" name="recipients" placeholder="0x…, separated by commas; left empty: any" />
      </fieldset>
    </FormSheet>
  );
}

function Limit({ name, label }: { name: string; label: string }) {
  return (
    <div>
      <label htmlFor={`key-${name}`}>{label}</label>
      <input
        id={`key-${name}`}
        name={name}
        inputMode="decimal"
        pattern="\d+(\.\d{1,6})?"
        placeholder="No limit"
        onInput={({ currentTarget }) => currentTarget.setCustomValidity("")}
        onInvalid={({ currentTarget }) => currentTarget.setCustomValidity("Enter an amount such as 250.00.")}
      />
    </div>
  );
}

function readForm(form: FormData, { isEverything, requestId }: { isEverything: boolean; requestId: string }): object {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const limits = Object.fromEntries(
    ["perCallUsdc", "perDayUsdc", "perMonthUsdc", "feesUsdc"].flatMap((name) =>
      text(name) === "" ? [] : [[name, text(name)]],
    ),
  );
  const recipients = text("recipients")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const scopes = isEverything ? ["*"] : form.getAll("scope").map(String);
  const days = text("days");
  return {
    name: text("name"),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(days === "" ? {} : { expiresAt: new Date(Date.now() + Number(days) * DAY_MILLISECONDS).toISOString() }),
    ...(Object.keys(limits).length + recipients.length === 0
      ? {}
      : { limits: { ...limits, ...(recipients.length === 0 ? {} : { recipients }) } }),
    requestId,
  };
}
