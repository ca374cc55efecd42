#!/bin/bash
# Lambda starts this instead of Node.js (AWS_LAMBDA_EXEC_WRAPPER), with Node's path, the runtime's own options and its script.
# The runtime's options, 5 % and 90 % of the memory, override NODE_OPTIONS. Of two equal options, the later one counts.
exec "${@:1:$#-1}" $HEAP_OPTIONS "${@: -1}"
