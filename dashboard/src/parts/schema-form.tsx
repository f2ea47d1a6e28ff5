import { type ReactNode, useId, useState } from "react";
import type { FieldProps, JsonSchema } from "./json-schema.ts";
import { isRecordOfNumbers, ManyChoices, PairsInput } from "./schema-inputs.tsx";

type Fields = Readonly<Record<string, unknown>>;

/** A form for any object that a schema describes. `wrong`: the paths that were refused. */
export function SchemaForm(props: {
  schema: JsonSchema;
  value: Fields;
  change: (value: Fields) => void;
  wrong?: readonly string[];
  /** For schemas of many levels. */
  isDeep?: boolean | undefined;
}) {
  const { schema, value, change, wrong = [], isDeep } = props;
  const prefix = useId();
  const names = Object.keys(schema.properties ?? {});
  const isRequired = (name: string) => schema.required?.includes(name) ?? false;
  const isWrong = (name: string) =>
    wrong.some((path) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
  // Those that were given when the form was opened: a field does not move while somebody types.
  const [given] = useState(() => names.filter((name) => value[name] !== undefined));
  const first = names.filter((name) => isRequired(name) || isWrong(name) || given.includes(name));
  const others = names.filter((name) => !first.includes(name));
  const show = (name: string): ReactNode => (
    <Field
      key={name}
      name={name}
      isRequired={isRequired(name)}
      id={`${prefix}${name}`}
      schema={schema.properties?.[name] ?? {}}
      value={value[name]}
      isWrong={isWrong(name)}
      isDeep={isDeep}
      change={(next) => {
        const { [name]: _former, ...rest } = value;
        change(next === undefined ? rest : { ...rest, [name]: next });
      }}
    />
  );
  if (names.length === 0) return <p className="quiet">It takes no arguments.</p>;
  return (
    <div className="schema-form">
      {first.map(show)}
      {first.length === 0 ? others.map(show) : null}
      {first.length > 0 && others.length > 0 && (
        <details open={others.some((name) => value[name] !== undefined)}>
          <summary>
            {others.length} {given.length > 0 ? "more " : ""}optional{" "}
            {isDeep ? (others.length === 1 ? "field" : "fields") : others.length === 1 ? "argument" : "arguments"}
          </summary>
          {others.map(show)}
        </details>
      )}
    </div>
  );
}

function Field({ name, isRequired, ...field }: FieldProps & { name: string; isRequired: boolean }) {
  const { id, schema, isWrong, isDeep = false, value } = field;
  const isGroup =
    listFields(schema) !== undefined || isListOfObjects(schema) || isRecordOfNumbers(schema) || hasChoices(schema);
  const note = [
    schema.description,
    schema.default === undefined ? undefined : `Default: ${JSON.stringify(schema.default)}`,
  ]
    .filter((text) => text !== undefined)
    .join(". ");
  const head = (
    <>
      {isDeep ? <strong>{sayName(name)}</strong> : <span className="mono">{name}</span>}
      {isRequired && <span className="quiet"> required</span>}
      {isWrong && <span className="refused"> was refused</span>}
    </>
  );
  if (isDeep && listFields(schema) !== undefined) {
    return (
      <details className="field" open={value !== undefined || isWrong}>
        <summary>
          {head} <span className="quiet">{note}</span>
        </summary>
        <Input {...field} />
      </details>
    );
  }
  return (
    <div className="field">
      {isGroup ? <p className="label">{head}</p> : <label htmlFor={id}>{head}</label>}
      <Input {...field} />
      {note !== "" && (
        <p className="quiet" id={`${id}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}

/** "maxPrice" is "Max price". */
function sayName(name: string): string {
  const words = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ usd\b/, ", USD");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const listFields = ({ type, properties }: JsonSchema) =>
  type === "object" && properties !== undefined && Object.keys(properties).length > 0 ? properties : undefined;
const isListOfObjects = ({ type, items }: JsonSchema): boolean =>
  type === "array" && items !== undefined && listFields(items) !== undefined;
const hasChoices = ({ type, items }: JsonSchema): boolean => type === "array" && items?.enum !== undefined;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function Input(props: FieldProps) {
  const { id, schema, value, change } = props;
  if (schema.enum !== undefined) return <Select {...props} options={schema.enum} />;
  if (schema.type === "boolean") return <Select {...props} options={[true, false]} />;
  if (schema.type === "integer" || schema.type === "number") return <NumberInput {...props} />;
  if (schema.type === "string") return <TextInput {...props} />;
  if (listFields(schema) !== undefined) {
    return (
      <div className="group">
        <SchemaForm
          schema={schema}
          isDeep={props.isDeep}
          value={isFields(value) ? value : {}}
          change={(next) => change(Object.keys(next).length === 0 ? undefined : next)}
        />
      </div>
    );
  }
  if (isListOfObjects(schema)) return <ObjectList {...props} />;
  if (schema.type === "array" && schema.items?.type === "string") {
    const options = schema.items.enum;
    return options === undefined ? <LinesInput {...props} /> : <ManyChoices {...props} options={options} />;
  }
  if (isRecordOfNumbers(schema)) return <PairsInput {...props} />;
  return <JsonInput key={id} {...props} />;
}

const describedBy = ({ id, schema }: FieldProps) =>
  schema.description === undefined && schema.default === undefined ? {} : { "aria-describedby": `${id}-note` };

function Select(props: FieldProps & { options: readonly unknown[] }) {
  const { id, schema, value, change, options, isWrong } = props;
  return (
    <select
      id={id}
      aria-invalid={isWrong}
      {...describedBy(props)}
      value={value === undefined ? "" : JSON.stringify(value)}
      onChange={({ target }) => change(target.value === "" ? undefined : JSON.parse(target.value))}
    >
      <option value="">{schema.default === undefined ? "Not given" : `Default: ${String(schema.default)}`}</option>
      {options.map((option) => (
        <option key={String(option)} value={JSON.stringify(option)}>
          {String(option)}
        </option>
      ))}
    </select>
  );
}

function NumberInput(props: FieldProps) {
  const { id, schema, value, change, isWrong } = props;
  return (
    <input
      id={id}
      type="number"
      aria-invalid={isWrong}
      {...describedBy(props)}
      step={schema.type === "integer" ? 1 : "any"}
      value={typeof value === "number" ? value : ""}
      onChange={({ target }) => change(target.value === "" ? undefined : target.valueAsNumber)}
    />
  );
}

const LONG_TEXT = 300;

function TextInput(props: FieldProps) {
  const { id, schema, value, change, isWrong } = props;
  const common = {
    id,
    "aria-invalid": isWrong,
    ...describedBy(props),
    value: typeof value === "string" ? value : "",
    onChange: ({ target }: { target: { value: string } }) => change(target.value === "" ? undefined : target.value),
  };
  if ((schema.maxLength ?? 0) > LONG_TEXT) return <textarea rows={3} {...common} />;
  return <input type={schema.format === "date" ? "date" : "text"} autoComplete="off" {...common} />;
}

/** A list of texts, one on each line. */
function LinesInput(props: FieldProps) {
  const { id, value, change, isWrong } = props;
  const lines = Array.isArray(value) ? value.map(String) : [];
  return (
    <textarea
      id={id}
      rows={Math.max(2, lines.length)}
      aria-invalid={isWrong}
      {...describedBy(props)}
      placeholder="One on each line"
      value={lines.join("\n")}
      onChange={({ target }) => change(target.value === "" ? undefined : target.value.split("\n"))}
    />
  );
}

function ObjectList({ schema, value, change, isDeep }: FieldProps) {
  const items = Array.isArray(value) ? value : [];
  const replace = (next: readonly unknown[]) => change(next.length === 0 ? undefined : next);
  return (
    <div className="group">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other name than their place.
        <div className="group-item" key={at}>
          <SchemaForm
            schema={schema.items ?? {}}
            isDeep={isDeep}
            value={isFields(item) ? item : {}}
            change={(next) => replace(items.with(at, next))}
          />
          <button type="button" className="plain small" onClick={() => replace(items.toSpliced(at, 1))}>
            Remove {at + 1}
          </button>
        </div>
      ))}
      <button type="button" className="plain small" onClick={() => replace([...items, {}])}>
        Add one
      </button>
    </div>
  );
}

/** Whatever the form has no input for. */
function JsonInput(props: FieldProps) {
  const { id, value, change, isWrong } = props;
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [isBroken, setBroken] = useState(false);
  const read = (next: string) => {
    setText(next);
    try {
      change(next.trim() === "" ? undefined : JSON.parse(next));
      setBroken(false);
    } catch {
      setBroken(true);
    }
  };
  return (
    <>
      <textarea
        id={id}
        rows={3}
        className="mono"
        aria-invalid={isWrong || isBroken}
        {...describedBy(props)}
        placeholder="JSON"
        value={text}
        onChange={({ target }) => read(target.value)}
      />
      {isBroken && <p className="refused">This is not JSON yet.</p>}
    </>
  );
}
