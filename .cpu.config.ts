import base from "./vitest.config.ts";
const c: any = base; c.test.setupFiles = ["./.cpu-setup.ts"]; export default c;
