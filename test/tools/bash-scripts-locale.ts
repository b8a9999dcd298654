import type { Script } from "./bash-scripts.ts";

/** Scripts whose results depend on the locale. */
export const LOCALE_SCRIPTS: Readonly<Record<string, readonly Script[]>> = {
  "the locale of the shell": [
    `encoded() { local LC_ALL=C text=$1 at c; for ((at = 0; at < \${#text}; at++)); do c=\${text:at:1}; case $c in [a-zA-Z0-9.~_-]) printf %s "$c" ;; *) printf '%%%02X' "'$c" ;; esac; done; echo; }; encoded 'aé日😀~'; x=é; echo \${#x}`,
    `x=é; for name in LC_ALL LC_CTYPE LANG; do for value in C POSIX C.UTF-8 ''; do unset LC_ALL LC_CTYPE; LANG=C.UTF-8; declare $name=$value; [ "$value" ] && echo "$name $value \${#x}"; done; done; LC_ALL=C.UTF-8; LC_CTYPE=C; echo \${#x}`,
    `LC_ALL=C; s=é日; echo "\${s#?}" "\${s%?}" "\${s//[^a]/y}" "\${s/?/}" | od -An -tx1; printf '%q\\n' "$s" "\${s@Q}"; declare -p s; echo "\${s^^}"`,
    `LC_ALL=C; s=é日; [[ $s == ????? ]] && echo five; [[ $s =~ ^(.)(.).*$ ]] && echo \${#BASH_REMATCH[1]}; case $s in ??) echo two ;; ?????) echo 5 ;; esac; [[ $s == é* ]] && echo same`,
    `LC_ALL=C; s=é日; for ((at = 0; at < \${#s}; at++)); do o+=\${s:at:1}; r=\${s:at:1}$r; done; [[ $o == "$s" ]] && echo same; printf %s "$r" | od -An -tx1; LC_ALL=C.UTF-8; echo \${#o} "\${o:0:1}"; [ "$o" = é日 ] && echo whole`,
    `LC_ALL=C; while IFS= read -r -n1 c; do printf '<%02x>' "'$c"; done <<< é; read -r -N 2 z <<< éb; echo $? "$z"; LC_ALL=C.UTF-8 read -r -n 1 z <<< éb; echo "$z"`,
    `LC_ALL=C; touch é; echo ??; echo ?; a=(é 日本); echo "\${#a[1]}"; printf '%s\\n' "\${a[@]#?}" | od -An -tx1; declare -A m; m[é]=1; echo \${m[é]} "\${!m[@]}"`,
    `LC_ALL=C; printf '\\u00e9 %b\\n' '\\u65e5'; printf '%5s|%-5s|%.1s|%c\\n' é é é é | od -An -tx1; printf '%d %x\\n' "'é" '"日' "'"; LC_ALL=C.UTF-8; printf '\\u00e9 %b \\n' '\\u65e5'`,
    `printf '%c|%c|%3c|' é '' ab | od -An -tx1; a=$'\\xc3' b=$'\\xa9'; c=$a$b; echo \${#c}; [[ $a$b == é ]] && echo one; c=$a; c+=$b; echo "\${c:0:1}"`,
    `export LC_ALL=C.UTF-8; bytes() { local LC_ALL=C; echo \${#1}; echo "$1" | wc -m; }; bytes é; x=é; (LC_ALL=C; echo \${#x}); echo $(LC_ALL=C; echo \${#x}) \${#x}; export LC_ALL=C; bash -c 'x=é; echo \${#x}'; env LC_ALL=C.UTF-8 bash -c 'x=é; echo \${#x}'`,
  ],
  "the locale of commands": [
    `for name in LC_ALL LC_CTYPE; do echo é | env -u LC_ALL LANG=C.UTF-8 $name=C wc -m; done; echo é | env -u LC_ALL LANG=C wc -m; echo é | LC_ALL=C.UTF-8 LC_CTYPE=C wc -m; echo é | wc -m; printf 'é日\\n' | LC_ALL=C wc -mL`,
    `export LC_ALL=C; printf 'é日\\n' | cut -c1 | od -An -tx1; printf 'é日\\n' | sed 's/./x/g'; sed -E 's/^(.{2})/[\\1]/' <<< éa; sed 's/\\xc3/X/;y/X/Y/' <<< é | od -An -tx1; sed -n l <<< é; sed 's/[\\x80-\\xff]//g; s/a/é/' <<< aéb`,
    `export LC_ALL=C; echo é | grep -o . | od -An -tx1; grep -c '^[[:alpha:]]*$' <<< é; grep -n '^..$' <<< é; grep '[^[:print:]]' <<< é; grep -nP '[\\x80-\\xff]' <<< $'a\\né'; grep -oP '\\xc3' <<< é | od -An -tx1; grep -i É <<< é; grep é <<< aéb`,
    `export LC_ALL=C; printf 'é\\nÉ\\n' | sort -fu; printf 'é\\nÉ\\n' | uniq -i; printf 'éa\\néb\\n' | uniq -w2; printf 'ééé\\n' | fold -w2 | od -An -tx1; paste -d é - - <<< $'a\\nb' | od -An -tx1; tr -d '\\303' <<< é | od -An -tx1; tr É é <<< É`,
    `export LC_ALL=C; expr length é; expr substr é 1 1 | od -An -tx1; expr é : '..'; expr é : '\\(.\\)' | od -An -tx1; touch é; find . -name '??' -o -name '?'; printf 'x\\n' > f; sed -i s/x/é/ f; cat f; cat é; ls é`,
    `export LC_ALL=C; awk '{ print length($0), toupper($0), index($0, "\\251"); printf "%.1s|%5s|\\n", $0, $0 }' <<< é | od -An -tx1; awk 'BEGIN { printf "%c%c\\n", 195, 169; print "\\303\\251", length("\\303\\251"), "\\xc3\\xa9" ~ /[\\200-\\377]/, match("aé", /[^ -~]/), RLENGTH }'`,
    `LC_ALL=C awk 'BEGIN { for (i = 0; i < 256; i++) code[sprintf("%c", i)] = i; text = "é a/日"; for (at = 1; at <= length(text); at++) { c = substr(text, at, 1); printf c ~ /[A-Za-z0-9_.~-]/ ? "%s" : "%%%02X", c ~ /[A-Za-z0-9_.~-]/ ? c : code[c] } print "" }'`,
    `LC_ALL=C awk -v s='\\303\\251é' -F'é' 'BEGIN { print s, length(s) } { print $2; $1 = "x"; print; gsub(/./, "-"); print }' OFS=é <<< aébé; touch é; x=é LC_ALL=C awk 'BEGIN { print length(ENVIRON["x"]), length(ARGV[1]); while (("echo é" | getline l) > 0) print length(l); print "é" > "f" } END { print length($0) }' é; cat f`,
    `awk 'BEGIN { print "\\303\\251", length("\\303\\251"), "é" ~ /^\\303\\251$/, "\\xe2\\x9c\\x93"; printf "%c|%d\\n", 233, length(sprintf("%c", 233)) }'; awk -b 'BEGIN { print length("é") } { print length($0), index($0, "b") }' <<< éb`,
  ],
  "dates and zones": [
    `for TZ in '<+0330>-3:30' EST5EDT,M3.2.0,M11.1.0 UTC-3 'AEST-10AEDT,M10.1.0,M4.1.0/3' '<-03>3<-02>,M3.5.0/-2,M10.5.0/-1' 'IST-1GMT0,M10.5.0,M3.5.0/1' EST5EDT,J60,J300 EST5EDT,59,300/3:30; do export TZ; for at in 0 1767225600 1772359200 1782900000 1793500000; do date -d @$at '+%F %T %Z %z %:z'; done; done`,
    `export TZ=EST5EDT,M3.2.0,M11.1.0; date -d '2026-03-08 02:30'; date -d '2026-11-01 01:30' +%s; date -d '2026-03-07 02:30 1 day' +%T; awk 'BEGIN { print mktime("2026 03 08 02 30 00"), strftime("%c %Z", 1782900000) }'; touch -d '2026-07-01 12:00' f; stat -c %y f; ls -l --time-style=long-iso f | cut -d' ' -f6-; ls -l --time-style='+%H:%M %Z' f | cut -d' ' -f6-`,
    `date -d 'Tue Dec  1 05:28:49 UTC 2026'; date -d 'Tue, 01 Dec 2026 05:28:49 +0000' +%s; date -d '1 Jan 2026' +%F; date -d 'Jan 5, 2026 3pm' +%FT%T; date -d '2026-01-01T10:00:00.25+02:00' +%s.%N; date -d 20260102 +%s; date -d 12/31/2025 +%F; date -d '10:00 2026-01-01' +%s; date -d '2026-07-01 12:00 JST'; date -d '2026-1-2 3:04' +%FT%T; date -d '5 May' +%m-%d; date -d '12:30 am 2026-01-03' +%T; date -d @-1.5 +%s.%N`,
    `date -d 2026-01-15 '+%-d %e %j %U %V %G %u %w %y %C %q %k|%l|%I %p %P %10Y %^a %#Z %_m %-m %5d %%d %n%t| %D %x %X %r %R %h %N %3N %Q'; date -Ins -d @0; date -Iminutes -d @0; date --rfc-3339=ns -d @0.5; date -R -d @0; date -f - <<< $'2026-01-01\n@0'; date +; for wrong in bogus 2026-02-30 25:00 '12:00 13:00'; do date -d "$wrong"; echo $?; done; date +%F +%T; echo $?`,
    `date -d '2026-01-31 1 month' +%F; date -d '2026-01-01 +2 days' +%F; date -d '2026-01-01 00:00:00 2 hours ago' +%FT%T; date -u -d '1970-01-01 UTC 100 seconds' +%s; date -d '2026-06-01 next month' +%F; date -d 'last monday' +%a; date -d '' +%T; printf '%(%F %T %Z %z %s)T|%()T|%20(%F)T|%-12(%F)T|\n' 1782900000 5 0 0; touch -d '2026-13-01' f; echo $?`,
  ],
};
