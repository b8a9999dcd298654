import type { JSX } from "preact";

interface ChooseProps {
  readonly label: string;
  readonly value: string;
  /** Value and words of each. */
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly choose: (value: string) => void;
}

/** One of a few. */
export function Choose({ label, value, options, choose }: ChooseProps): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {options.map(([id, words]) => (
        <option key={id} value={id}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** The same, or any: then the value is empty. */
export function ChooseAny({ label, options, ...rest }: ChooseProps): JSX.Element {
  return <Choose label={label} options={[["", `${label}: any`], ...options]} {...rest} />;
}
