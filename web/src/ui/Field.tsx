/** Labelled fields. */
import { type ComponentProps, type ReactNode, useId } from "react";
import { Icon } from "./Icon";

export function SearchField({ label, className = "", ...rest }: ComponentProps<"input"> & { label: string }) {
  return (
    <span className={`field ${className}`}>
      <Icon name="search" size="small" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        {...rest}
      />
    </span>
  );
}

type SelectFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
};

export function SelectField({ label, value, onChange, children }: SelectFieldProps) {
  const id = useId();
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <span className="field">
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {children}
        </select>
      </span>
    </div>
  );
}

export function TextField({
  label,
  mono = false,
  ...rest
}: ComponentProps<"input"> & { label: string; mono?: boolean }) {
  const id = useId();
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <span className="field">
        <input id={id} className={mono ? "mono" : ""} autoComplete="off" spellCheck={false} {...rest} />
      </span>
    </div>
  );
}
