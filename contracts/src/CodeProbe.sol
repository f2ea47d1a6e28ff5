// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Never deployed: an `eth_call` runs its creation code, which answers for many accounts in one question which have code.
contract CodeProbe {
    constructor(address[] memory accounts) {
        bool[] memory answer = new bool[](accounts.length);
        for (uint256 index = 0; index < accounts.length; index++) {
            answer[index] = accounts[index].code.length > 0;
        }
        bytes memory encoded = abi.encode(answer);
        assembly ("memory-safe") {
            return(add(encoded, 32), mload(encoded))
        }
    }
}
