import type { JSX } from "preact";

/** Inline icons, since the page loads nothing from other sites. All decorate text or a labelled control. */

function Icon({ d }: { readonly d: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={d} />
    </svg>
  );
}

export const AnchorIcon = (): JSX.Element => (
  <Icon d="M12 8.2V21M8.5 11.5h7M5 14.500c0 3.8 3.1 6.5 7 6.500s7-2.7 7-6.500M12 8.200a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2" />
);
export const PlusIcon = (): JSX.Element => <Icon d="M12 5v14M5 12h14" />;
export const SendIcon = (): JSX.Element => <Icon d="M12 19V5M6 11l6-6 6 6" />;
export const ClipIcon = (): JSX.Element => (
  <Icon d="m20 11-8.5 8.500a5 5 0 0 1-7-7l8.5-8.500a3.3 3.3 0 0 1 4.7 4.700l-8.5 8.500a1.7 1.7 0 0 1-2.4-2.400l7.8-7.8" />
);
export const BackIcon = (): JSX.Element => <Icon d="M15 5l-7 7 7 7" />;
export const PanelIcon = (): JSX.Element => <Icon d="M4 5h16v14H4zM14.5 5v14" />;
export const CloseIcon = (): JSX.Element => <Icon d="M6 6l12 12M18 6 6 18" />;
export const FileIcon = (): JSX.Element => <Icon d="M6 3h8l4 4v14H6zM14 3v4h4" />;
export const ListIcon = (): JSX.Element => <Icon d="M4 6h16M4 12h16M4 18h16" />;
