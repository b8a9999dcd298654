import { ELEMENT_NODE, type ElementNode, type Node, TEXT_NODE, type TransformPlugin } from "@mdream/js";

/** Omits elements with everything in them: those with these names, and hidden ones. */
export function omitElements(names: ReadonlySet<string>): TransformPlugin {
  const omitted = new WeakSet<Node>();
  const isOmitted = (node: Node): boolean => {
    const isInside = node.parent !== null && node.parent !== undefined && omitted.has(node.parent);
    if (isInside || (isElement(node) && (names.has(node.name) || isHidden(node)))) omitted.add(node);
    return omitted.has(node);
  };
  return {
    beforeNodeProcess: ({ node }) =>
      (isElement(node) || node.type === TEXT_NODE) && isOmitted(node) ? { skip: true } : undefined,
  };
}

function isElement(node: Node): node is ElementNode {
  return node.type === ELEMENT_NODE;
}

/** Whether people see an element neither now nor after a click on a tab or a find in the page. */
function isHidden({ attributes: { hidden, role, style = "" } }: ElementNode): boolean {
  if (role === "tabpanel") return false;
  return (hidden !== undefined && hidden !== "until-found") || /display:\s?none|visibility:\s?hidden/i.test(style);
}
