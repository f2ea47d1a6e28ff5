// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A wallet with code: what its keeper signs is signed by it (ERC-1271).
contract ContractWallet {
    address public keeper;

    constructor(address keeper_) {
        keeper = keeper_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == keeper ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
