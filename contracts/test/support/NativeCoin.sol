// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Imitates a network whose gas is paid in USDC: the token is a view of the native coin, in 6 decimals.
contract NativeCoin {
    string public constant name = "USDC";
    string public constant symbol = "USDC";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
    }

    function balanceOf(address owner) external view returns (uint256) {
        return owner.balance / 10 ** 12;
    }
}

/// Placed at the system address, it logs every movement of the native coin that goes through it, in 18 decimals.
contract NativeCoinLog {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function send(address payable to) external payable {
        emit Transfer(msg.sender, to, msg.value);
        (bool sent,) = to.call{value: msg.value}("");
        require(sent);
    }

    /// Several in one transaction.
    function sendTwice(address payable to, uint256 first) external payable {
        emit Transfer(msg.sender, to, first);
        emit Transfer(msg.sender, to, msg.value - first);
        (bool sent,) = to.call{value: msg.value}("");
        require(sent);
    }
}
