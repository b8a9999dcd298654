import { markdownOf, titleOf } from "./markdown.ts";
import type { PageRequest } from "./request.ts";

export const tool = {
  invoke(input: string): string {
    const request: PageRequest = JSON.parse(input);
    return JSON.stringify({ title: titleOf(request), markdown: markdownOf(request).toWellFormed() });
  },
};
