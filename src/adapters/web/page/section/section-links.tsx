import type { JSX } from "preact";
import { Link } from "../link.tsx";
import type { PageState } from "../state/state.ts";
import { maySee, SECTIONS } from "./sections.ts";

interface SectionLinksProps {
  readonly state: PageState;
  readonly open: (name: string) => void;
}

/** Leads to the sections that the person may see. */
export function SectionLinks({ state, open }: SectionLinksProps): JSX.Element {
  const seen = SECTIONS.filter((section) => maySee(section, state));
  return (
    <ul class="section-links" aria-label="Manage">
      {seen.map(({ name, title }) => (
        <li key={name}>
          <Link href={`#/${name}`} isOpen={state.section?.name === name} open={() => open(name)}>
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
