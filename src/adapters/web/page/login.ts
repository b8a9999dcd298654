import { saveFragment } from "./state/saved-fragment.ts";

saveFragment();
