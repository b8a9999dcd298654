import type { JSX } from "preact";
import { MainHead } from "../main-head.tsx";
import type { OpenSection } from "../state/state.ts";
import { ConnectionBar, type MainProps } from "../thread/thread-view.tsx";
import type { SectionProps } from "./section-props.ts";
import { maySee, SECTIONS, type Section } from "./sections.ts";
import { useLazyView } from "./use-lazy-view.ts";

interface SectionViewProps extends MainProps {
  readonly open: OpenSection;
}

/** The section that the address names, under its title. */
export function SectionView(props: SectionViewProps): JSX.Element {
  const { state, open, controller, now, show } = props;
  const section = SECTIONS.find(({ name }) => name === open.name);
  return (
    <main class="thread section" aria-labelledby="main-title">
      <MainHead title={section?.title ?? "Not found"} show={show} />
      <ConnectionBar state={state} />
      <div class="section-body" tabIndex={-1}>
        {section === undefined && <p class="hint centred">There is no such page.</p>}
        {section !== undefined && !maySee(section, state) && (
          <p class="hint centred">{state.lastSeq === null ? "Loading…" : "Only admins can see this."}</p>
        )}
        {section !== undefined && maySee(section, state) && (
          <LoadedSection
            key={section.name}
            section={section}
            given={{
              state,
              controller,
              now,
              rest: open.rest,
              go: (rest) => controller.openSection(section.name, rest),
            }}
          />
        )}
      </div>
    </main>
  );
}

function LoadedSection({ section, given }: { readonly section: Section; readonly given: SectionProps }): JSX.Element {
  const { View, words } = useLazyView(section.load, given.state);
  if (View !== null) return <View {...given} />;
  return <p class="hint centred">{words}</p>;
}
