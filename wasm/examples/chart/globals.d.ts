/** Available in components, but missing from the types. */
declare function atob(base64: string): string;
