import { keepLanding } from "./state/landing.ts";

keepLanding();
