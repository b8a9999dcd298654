import type { ComponentChildren, JSX } from "preact";

interface LinkProps {
  readonly href: string;
  readonly className?: string;
  readonly isOpen?: boolean;
  readonly open: () => void;
  readonly children: ComponentChildren;
}

/** A link within the page, even to the open place; with a modifier key it opens a window of its own. */
export function Link({ href, className = "", isOpen = false, open, children }: LinkProps): JSX.Element {
  return (
    <a
      href={href}
      class={`thread-link ${className}`}
      aria-current={isOpen ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open();
      }}
    >
      {children}
    </a>
  );
}
